/** Validates public keys: complete, on one line, and of a type and size that the instance allows. */
import { type KeyFamily, type PublicKey, parsePublicKey } from '../../../access/ssh-keys.ts'
import { badParameter } from '../../../failure.ts'
import { assertValid, blankError, lengthError } from '../../../validation.ts'
import type { Settings } from '../../instance/settings/settings.ts'
import type { Fingerprint } from './keys.queries.ts'

/** A key as a client sends it: a title, and the line that `ssh-keygen` wrote. */
export interface SentKey {
  title: string
  key: string
}

export interface NewKey {
  title: string
  key: PublicKey
  comment: string
}

const longestTitle = 255
const longestKey = 5_000

/** Parses a key. Throws 400 with the errors by field. @param prefix of the names of the fields in errors */
export function readNewKey(settings: Settings, sent: SentKey, prefix = ''): NewKey {
  const found = sent.key.length > longestKey ? null : parseOneLine(sent.key)
  const fieldError = found ? fieldErrorOf(settings, found.key) : whyNoKey(sent.key)
  assertValid({
    [`${prefix}title`]: titleError(sent.title),
    [`${prefix}key`]: fieldError,
    [`${prefix}fingerprint`]: found ? null : 'cannot be generated',
  })
  return { title: sent.title, ...(found as NonNullable<typeof found>) }
}

/** The comment after the key in its line, which usually names the machine; empty if there is none. */
export function commentOf(line: string): string {
  return line.length > longestKey ? '' : (parseOneLine(line)?.comment ?? '')
}

export function titleError(title: string): string | null {
  const malformed = control.test(title) ? 'is invalid' : null
  return blankError(title) ?? lengthError(title, longestTitle) ?? malformed
}

/**
 * Parses a fingerprint: `SHA256:` with base64, or MD5 with or without its prefix. A space counts as a plus. Throws 400 for any other form.
 */
export function readFingerprint(sent: string): Fingerprint {
  const [, sha256] = /^SHA256:([A-Za-z0-9+/]{43})=?$/.exec(sent.replaceAll(' ', '+')) ?? []
  if (sha256 !== undefined) return { sha256 }
  const [, md5] = /^(?:MD5:)?((?:[0-9a-f]{2}:){15}[0-9a-f]{2})$/i.exec(sent) ?? []
  if (md5 === undefined) throw badParameter('fingerprint is invalid')
  return { md5: md5.toLowerCase() }
}

/** Control characters and unpaired surrogates. */
const control = /[\p{Cc}\p{Cs}]/u

function parseOneLine(text: string) {
  return control.test(withoutTabs(text)) ? null : parsePublicKey(text)
}

function withoutTabs(text: string): string {
  return text.trim().replaceAll('\t', ' ')
}

/** The message says what to send instead. */
function whyNoKey(text: string): string {
  const blank = blankError(text) ?? lengthError(text, longestKey)
  if (blank !== null) return blank
  if (/PRIVATE KEY/.test(text))
    return 'is invalid. This is a private key, which should never leave its machine; send the file ending in .pub'
  if (/BEGIN SSH2 PUBLIC KEY/.test(text)) return 'is invalid. Send it in the form of OpenSSH: ssh-keygen -i -f FILE'
  if (/^\S+-cert-v\d\d@openssh\.com\s/.test(text.trim())) return 'is invalid. This is a certificate; send the public key itself'
  if (control.test(withoutTabs(text))) return 'is invalid. It must be a single line'
  return 'is invalid. Send the whole line of a public key, such as ssh-ed25519 AAAA… comment'
}

/** OpenSSH rejects shorter ones, and cryptographic libraries longer ones. */
const rsa_bits = { min: 1_024, max: 16_384 }

/** The types that are still considered secure, in the order in which messages list them. */
const accepted = ['rsa', 'ecdsa', 'ed25519'] as const

/** The error in a key by the settings of the instance and current security practice; null if there is none. */
export function fieldErrorOf(settings: Settings, { type, bits }: Pick<PublicKey, 'type' | 'bits'>): string | null {
  const family = familyOf(type)
  if (!allowedFamilies(settings).includes(family)) return typeError(settings)
  const min = Math.max(settings[`${family}_key_restriction`], family === 'rsa' ? rsa_bits.min : 0)
  if (bits < min) return `must be at least ${min} bits`
  return family === 'rsa' && bits > rsa_bits.max ? `must be at most ${rsa_bits.max} bits` : null
}

/** The names of types contain the name of the family: `sk-ssh-ed25519@openssh.com`. */
function familyOf(type: string): KeyFamily {
  return accepted.find((family) => type.includes(family)) ?? 'dsa'
}

function allowedFamilies(settings: Settings): KeyFamily[] {
  return accepted.filter((family) => settings[`${family}_key_restriction`] !== -1)
}

/** `type is forbidden. Must be RSA, ECDSA, or ED25519` */
function typeError(settings: Settings): string {
  const names = allowedFamilies(settings).map((family) => family.toUpperCase())
  if (names.length === 0) return 'type is forbidden. No keys are allowed'
  const last = names.pop() as string
  const rest = names.length > 1 ? `${names.join(', ')}, or ` : names.map((name) => `${name} or `).join('')
  return `type is forbidden. Must be ${rest}${last}`
}
