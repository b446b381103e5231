// cspell:disable -- the words are of many languages

/**
 * Words for yes and no in European languages, in lower case and without diacritics that decompose. A word is left out if it
 * means yes in one language and no in another.
 */
const words = {
  yes: [
    ...['1', 'true', 't', 'on', 'yes', 'y'],
    ...['oui', 'o', 'vrai'],
    ...['ja', 'j', 'wahr', 'waar', 'sant', 'sand', 'joo', 'kylla', 'tosi'],
    ...['si', 's', 'sim', 'vero', 'verdadero', 'verdadeiro', 'adevarat'],
    ...['tak', 'prawda', 'ano', 'pravda', 'da', 'istina', 'igen', 'igaz', 'jah', 'taip', 'tiesa', 'evet'],
    ...['ναι', 'αληθες', 'да', 'истина', 'так'],
  ],
  no: [
    ...['0', 'false', 'f', 'off', 'no', 'n'],
    ...['non', 'faux'],
    ...['nein', 'falsch', 'nee', 'onwaar', 'nej', 'nei', 'falsk', 'falskt', 'usann', 'ei', 'epatosi'],
    ...['nao', 'falso', 'fals', 'nu'],
    ...['nie', 'fałsz', 'ne', 'nepravda', 'neistina', 'nem', 'hamis', 'netiesa', 'hayır'],
    ...['οχι', 'ψευδες', 'нет', 'не', 'ложь', 'ні'],
  ],
} as const

const booleans = new Map<string, boolean>([
  ...words.yes.map((word) => [word, true] as const),
  ...words.no.map((word) => [word, false] as const),
])

/** Returns the meaning of a cell such as true, yes, oui or nein, in any case. Undefined if it is no such word. */
export function parseBoolean(cell: string): boolean | undefined {
  const word = cell.trim().toLowerCase()
  // The longest word has ten characters.
  if (word.length > 20) return undefined
  return booleans.get(word) ?? booleans.get(word.normalize('NFD').replace(/\p{M}/gu, ''))
}
