export function fingerprintOf(root: string): string
