// cspell:disable -- the words are of many languages

/**
 * What a cell says about consent to marketing e-mail. NONE says nothing: the option of the import decides. The order is that in
 * which one meaning wins over another in the same row.
 */
export const consentMeanings = [
  'COMPLAINED',
  'UNSUBSCRIBED',
  'REFUSED',
  'BOUNCED',
  'PENDING',
  'GRANTED',
  'NONE',
] as const

export type ConsentMeaning = (typeof consentMeanings)[number]

/** States of subscriptions as other systems name them. CONFIRMED is a consent unless the column can be about something else. */
const words: Readonly<Record<Exclude<ConsentMeaning, 'REFUSED'> | 'CONFIRMED', readonly string[]>> = {
  GRANTED: [
    ...['subscribed', 'opted in', 'opt in', 'optin', 'single opt in', 'double opt in', 'explicit', 'granted'],
    ...['angemeldet', 'abonniert', 'eingewilligt', 'zugestimmt', 'abonne', 'abonnee', 'inscrit', 'inscrite'],
    ...['suscrito', 'suscrita', 'inscrito', 'inscrita', 'iscritto', 'iscritta', 'aangemeld', 'ingeschreven'],
    ...['subscrito', 'subscrita', 'zapisany', 'zapisana', 'subskrybuje'],
  ],
  CONFIRMED: [
    ...['confirmed', 'bestatigt', 'confirme', 'confirmee', 'confirmado', 'confirmada', 'confermato', 'confermata'],
    ...['bevestigd', 'potwierdzony', 'potwierdzona'],
  ],
  UNSUBSCRIBED: [
    ...['unsubscribed', 'unsubscribe', 'opted out', 'opt out', 'optout', 'cancelled', 'canceled', 'removed'],
    ...['blocklisted', 'blacklisted', 'blocked', 'suppressed', 'user suppressed', 'manually suppressed', 'withdrawn'],
    ...['abgemeldet', 'ausgetragen', 'abbestellt', 'gekundigt', 'gesperrt', 'blockiert', 'widerrufen'],
    ...['desabonne', 'desabonnee', 'desinscrit', 'desinscrite', 'annule', 'annulee', 'bloque', 'bloquee'],
    ...['dado de baja', 'dada de baja', 'de baja', 'baja', 'desuscrito', 'desuscrita', 'cancelado', 'cancelada'],
    ...['bloqueado', 'bloqueada', 'disiscritto', 'disiscritta', 'cancellato', 'cancellata', 'annullato', 'bloccato'],
    ...['uitgeschreven', 'afgemeld', 'opgezegd', 'geblokkeerd', 'geannuleerd', 'wypisany', 'wypisana', 'anulowany'],
    ...['zablokowany', 'descadastrado', 'descadastrada', 'desinscrito', 'desinscrita', 'removido'],
  ],
  PENDING: [
    ...['pending', 'unconfirmed', 'not confirmed', 'inactive', 'disabled', 'archived', 'held', 'transactional'],
    ...['never subscribed', 'not subscribed', 'non subscribed', 'nonsubscribed', 'double opt in pending', 'unknown'],
    ...['opt in pending', 'waiting', 'awaiting confirmation', 'non marketing contact', 'not opted in', 'deleted'],
    ...['ausstehend', 'unbestatigt', 'nicht bestatigt', 'inaktiv', 'deaktiviert', 'archiviert', 'nicht abonniert'],
    ...['en attente', 'non confirme', 'non confirmee', 'inactif', 'desactive', 'archive', 'non abonne', 'non inscrit'],
    ...['pendiente', 'no confirmado', 'sin confirmar', 'inactivo', 'archivado', 'no suscrito', 'desactivado'],
    ...['in attesa', 'non confermato', 'inattivo', 'archiviato', 'non iscritto', 'in afwachting', 'niet bevestigd'],
    ...['onbevestigd', 'inactief', 'gearchiveerd', 'oczekujacy', 'niepotwierdzony', 'nieaktywny', 'zarchiwizowany'],
    ...['pendente', 'nao confirmado', 'inativo', 'arquivado'],
  ],
  BOUNCED: [
    ...['bounced', 'bounce', 'hard bounced', 'hard bounce', 'cleaned', 'undeliverable', 'unreachable', 'invalid'],
    ...['invalid email', 'bereinigt', 'unzustellbar', 'nicht zustellbar', 'nicht erreichbar', 'ungultig'],
    ...['nettoye', 'rebondi', 'non distribuable', 'injoignable', 'invalide', 'rebotado', 'rebotada', 'depurado'],
    ...['invalido', 'no valido', 'ripulito', 'respinto', 'non valido', 'opgeschoond', 'onbestelbaar', 'ongeldig'],
    ...['odbity', 'nieprawidlowy', 'limpo', 'devolvido'],
  ],
  COMPLAINED: [
    ...[
      'complained',
      'complaint',
      'spam',
      'spam complaint',
      'spam report',
      'marked as spam',
      'marked as junk',
      'abuse',
    ],
    ...['beschwerde', 'beschwert', 'als spam markiert', 'plainte', 'signale comme spam', 'marcado como spam', 'queja'],
    ...['segnalato come spam', 'reclamo', 'klacht', 'skarga', 'denunciado'],
  ],
  NONE: [
    ...['active', 'enabled', 'valid', 'ok', 'marketing contact', 'deliverable', 'cold', 'soft bounced', 'soft bounce'],
    ...['n a', 'none', 'null', 'aktiv', 'aktiviert', 'gultig', 'actif', 'active', 'activo', 'activa', 'habilitado'],
    ...['attivo', 'attiva', 'actief', 'aktywny', 'aktywna', 'ativo', 'ativa'],
  ],
}

const meanings = new Map(
  Object.entries(words).flatMap(([meaning, list]) =>
    list.map((word) => [word, meaning as keyof typeof words] as const),
  ),
)

/** The longest state has fewer characters. */
const maxLength = 60

/** Returns a text in the form in which states are compared: in lower case, without diacritics, and with spaces for all signs. */
export function plainWords(text: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return plain
    .normalize('NFC')
    .replaceAll('ł', 'l')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/**
 * Returns the meaning of a cell that contains the name of a state, or several between commas: the first of `consentMeanings`
 * that occurs. Undefined if a part is no such name. CONFIRMED is NONE unless the column is known to be about consent.
 */
export function readState(cell: string, isKnown: boolean): ConsentMeaning | undefined {
  const whole = readWord(cell, isKnown)
  if (whole !== undefined || cell.length > 10 * maxLength) return whole
  const parts = cell.split(/[,;|]/)
  if (parts.length === 1) return undefined
  return strongest(parts.map((part) => readWord(part, isKnown)))
}

function readWord(text: string, isKnown: boolean): ConsentMeaning | undefined {
  if (text.length > maxLength) return undefined
  const word = plainWords(text)
  if (word === '') return 'NONE'
  const meaning = meanings.get(word)
  if (meaning === 'CONFIRMED') return isKnown ? 'GRANTED' : 'NONE'
  return meaning
}

/** Returns the meaning that wins over the others. Undefined if one is. */
export function strongest<Meaning extends ConsentMeaning | undefined>(found: readonly Meaning[]): Meaning {
  const ranks = found.map((meaning) => consentMeanings.indexOf(meaning as ConsentMeaning))
  return (ranks.length === 0 ? 'NONE' : consentMeanings[Math.min(...ranks)]) as Meaning
}

/** Whether a contact left: it unsubscribed, complained, or its address does not accept e-mail. */
export const hasLeft = (meaning: ConsentMeaning | undefined) =>
  meaning === 'UNSUBSCRIBED' || meaning === 'COMPLAINED' || meaning === 'BOUNCED'
