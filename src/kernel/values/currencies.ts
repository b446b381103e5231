/**
 * Active currencies by number of decimals: ISO 4217:2015, list one, as its maintenance agency (SIX Group) published it
 * in January 2026, without metals, bond units, test codes and the code for no currency.
 */
const codesByDigits = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  2: `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP
    COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR
    JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN
    NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL
    THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG`,
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
} as const

const digits = new Map(
  Object.entries(codesByDigits).flatMap(([count, codes]) => codes.split(/\s+/).map((code) => [code, Number(count)])),
)

/** Codes of all active currencies, sorted. */
export const currencies: readonly string[] = [...digits.keys()].sort()

/** Returns whether a code is that of an active currency. */
export function isCurrency(code: string): boolean {
  return digits.has(code)
}

/**
 * Returns the number of decimals of a currency: 2 for the euro, 0 for the yen. Returns 2 for a currency that is no
 * longer active.
 */
export function digitsOf(currency: string): number {
  return digits.get(currency) ?? 2
}
