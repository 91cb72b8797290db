import * as z from 'zod'
import { mustBe } from './must-be.js'

/**
 * The active codes of ISO 4217 (list one, 2026) that name money: without precious metals, units of account, funds codes
 * and the codes for tests.
 *
 * `Intl.supportedValuesOf('currency')` is not used: it differs between versions of ICU and keeps withdrawn codes such as
 * HRK. A request would be valid in one runtime and not in another. A test compares the two lists and names each
 * difference. A library would be a second dependency for one list.
 */
export const currencies: ReadonlySet<string> = new Set(
  `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY
  COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS
  INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP
  MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR
  SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES VND
  VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG`.split(/\s+/),
)

const iso4217 = 'an active ISO 4217 code in capitals, such as "KES"'

/** The currency of a request: an active ISO 4217 code. */
export const GivenCurrency = z
  .string(mustBe(iso4217))
  .regex(/^[A-Z]{3}$/, { error: `must be ${iso4217}`, abort: true })
  .refine((code) => currencies.has(code), `must be ${iso4217}`)
  .meta({ description: 'An active ISO 4217 code.', examples: ['KES'] })

/** The currency of an answer: three capitals, since the service may know a code before this package does. */
export const Currency = z
  .string()
  .regex(/^[A-Z]{3}$/)
  .meta({ description: 'An ISO 4217 code.', examples: ['KES'] })
