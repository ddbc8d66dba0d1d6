/** Names of environments, and values derived from them. Pure. */
import { createHash } from 'node:crypto'
import type { CiEnvironment } from '../../../db/tables.ts'
import { isUrl } from '../../../text/parse-url.ts'
import { blankError, lengthError } from '../../../validation.ts'

const words = "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but it cannot start or end with '/'"

export function nameError(name: string): string | null {
  return blankError(name) ?? lengthError(name, 255) ?? (/^(?!\/)[a-zA-Z0-9_/${}. -]+(?<!\/)$/.test(name) ? null : words)
}

const longestSlug = 24

/** The name in a form for host names (`CI_ENVIRONMENT_SLUG`). If that loses characters, a digest makes it unique. */
export function slugOf(name: string): string {
  const letters = name.toLowerCase().replace(/[^a-z0-9]/g, '-')
  const slug = (/^[a-z]/.test(letters) ? letters : `env-${letters}`).replace(/-+/g, '-')
  if (slug === name && slug.length <= longestSlug && !slug.endsWith('-')) return slug
  const digest = BigInt(`0x${createHash('sha256').update(name).digest('hex')}`)
    .toString(36)
    .slice(-6)
  return `${slug.slice(0, longestSlug - 7).replace(/-$/, '')}-${digest}`
}

/** The tier of an environment with this name, unless one is set. */
export function tierOf(name: string): CiEnvironment['tier'] {
  if (/dev|review|trunk/i.test(name)) return 'development'
  if (/test|tst|int|acc?e?pt|qa|qc|control|quality/i.test(name)) return 'testing'
  if (/sta?g|mode?l|pre|demo|non/i.test(name)) return 'staging'
  return /pro?d|live/i.test(name) ? 'production' : 'other'
}

/** Null for a web URL, or none. */
export function urlError(url: string | null): string | null {
  if (url === null) return null
  if (url.length > 255) return lengthError(url, 255)
  if (!isUrl(url) || /[\s\p{Cc}<>"\\]/u.test(url)) return 'is blocked: URI is invalid'
  return /^https?:\/\//i.test(url) ? null : 'is blocked: Only allowed schemes are http, https'
}
