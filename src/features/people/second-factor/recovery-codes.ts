/** Recovery codes: each works once, for users who have lost their second factor. */
import { randomBytes } from 'node:crypto'
import { digestOf } from '../../../access/tokens.ts'

const codes = 10

/** Without similar letters and digits: thirty-two characters, five bits each. */
const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789'
const letters = 16

/** Ten new codes, such as `k7fw-2mqd-xe9p-v4ha`: eighty bits each. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: codes }, () => {
    const text = [...randomBytes(letters)].map((byte) => alphabet[byte % alphabet.length]).join('')
    return text.replace(/(.{4})(?!$)/g, '$1-')
  })
}

/** The digest that identifies a code. Case, spaces and hyphens are ignored; null for any other format. */
export function digestOfRecoveryCode(typed: string): string | null {
  const plain = typed.toLowerCase().replaceAll(/[\s-]/g, '')
  return plain.length === letters && [...plain].every((letter) => alphabet.includes(letter)) ? digestOf(plain) : null
}
