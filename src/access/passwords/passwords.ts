/** Passwords as Argon2id hashes: about 50 ms and 19 MiB each, so only a few at a time. */
import { createHmac, randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { LRUCache } from 'lru-cache'

/** Maximum length of a password: longer ones are wrong, and aren't hashed. */
export const maxPassword_chars = 128

const maxAtOnce = 2

let running = 0
const waiting: Array<() => void> = []

async function withLimit<T>(work: () => Promise<T>): Promise<T> {
  if (running >= maxAtOnce) await new Promise<void>((resolve) => waiting.push(resolve))
  running += 1
  try {
    return await work()
  } finally {
    running -= 1
    waiting.shift()?.()
  }
}

export function hashPassword(password: string): Promise<string> {
  return withLimit(() => hash(password))
}

/** A git client sends its password with each of the three or four requests of a push: one check serves them all. */
const verified = new LRUCache<string, true>({ max: 2_500, ttl: 60_000 })
const processKey = randomBytes(32)

export interface Guarded {
  /** Called just before the check, once a slot is free; throws to refuse it. Not called for a password that is cached. */
  before?: () => Promise<void>
  /** Called after a wrong password, before the next check starts. */
  onWrong?: () => Promise<void>
  /** Called after a right password. */
  onRight?: () => Promise<void>
}

/** Whether the password belongs to the hash. Without a hash it takes as long and is never right. */
export async function passwordMatches(
  stored: string | null,
  password: string,
  { before, onWrong, onRight }: Guarded = {},
): Promise<boolean> {
  const key = createHmac('sha256', processKey).update(`${stored}\0${password}`).digest('base64')
  if (verified.has(key)) return true
  const isRight = await withLimit(async () => {
    await before?.()
    const matches = await verify(stored ?? (decoy as string), password).catch(() => false)
    const right = matches && stored !== null
    await (right ? onRight?.() : onWrong?.())
    return right
  })
  if (isRight) verified.set(key, true)
  return isRight
}

/** The hash of a random value: an unknown user name takes as long to refuse as a wrong password. */
const decoy = await hash(randomBytes(32))
