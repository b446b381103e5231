/** Returns whether the header `Accept` of a request names a media type itself, not by a wildcard, and does not refuse it. */
export function namesType(accept: string | undefined, type: string): boolean {
  return qualitiesOf(accept, type).some((quality) => quality > 0)
}

/** Returns whether the header `Accept` of a request names a media type itself with the quality 0: a client does not want it. */
export function refusesType(accept: string | undefined, type: string): boolean {
  const qualities = qualitiesOf(accept, type)
  return qualities.length > 0 && qualities.every((quality) => quality === 0)
}

function qualitiesOf(accept: string | undefined, type: string): number[] {
  return (accept ?? '').split(',').flatMap((part) => {
    const [name = '', ...parameters] = part.split(';')
    if (name.trim().toLowerCase() !== type) return []
    const quality = parameters.map((each) => /^\s*q\s*=\s*(\d*\.?\d*)\s*$/i.exec(each)?.[1]).find((each) => each)
    return [Number(quality ?? 1)]
  })
}
