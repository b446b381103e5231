declare module 'bidi-js' {
  interface Bidi {
    getEmbeddingLevels(text: string, direction?: 'ltr' | 'rtl' | 'auto'): { levels: Uint8Array }
    getMirroredCharactersMap(text: string, levels: { levels: Uint8Array } | Uint8Array): Map<number, string>
  }
  // biome-ignore lint/style/noDefaultExport: The package has no other export.
  export default function bidiFactory(): Bidi
}
