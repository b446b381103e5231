/** Spellings of the address of one mailbox. */
export const spellings = [
  'Jürgen@bücher.example',
  'jürgen@xn--bcher-kva.example',
  'JÜRGEN@BÜCHER.EXAMPLE',
  'jürgen@XN--BCHER-KVA.Example',
  'jürgen@bücher.example'.normalize('NFD'),
  'JÜRGEN@bücher.example'.normalize('NFD'),
  'jürgen@bücher。example',
  'jürgen@ｂüｃher．example',
] as const
