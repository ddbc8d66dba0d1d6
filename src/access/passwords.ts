/** Passwords as Argon2id hashes: about 50 ms and 19 MiB each, so only a few at a time. */
import { createHmac, randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'

const maxAtOnce = 2
const verifiedFor_ms = 60_000
const maxVerified = 10_000

let running = 0
const waiting: Array<() => void> = []

async function limited<T>(work: () => Promise<T>): Promise<T> {
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
  return limited(() => hash(password))
}

/** A git client sends its password with each of the three or four requests of a push: one check serves them all. */
const verified = new Map<string, number>()
const processKey = randomBytes(32)

export interface Guarded {
  /** Called when it is the password's turn, however long that took; may refuse it by throwing. Not for one that is remembered. */
  before?: () => Promise<void>
  /** Called when it was wrong, before the next one has its turn: so whoever sends many at once is counted one by one. */
  onWrong?: () => Promise<void>
}

/** Whether the password belongs to the hash. Without a hash it takes as long and is never right. */
export async function passwordMatches(stored: string | null, password: string, { before, onWrong }: Guarded = {}): Promise<boolean> {
  const key = createHmac('sha256', processKey).update(`${stored}\0${password}`).digest('base64')
  if ((verified.get(key) ?? 0) > Date.now()) return true
  const right = await limited(async () => {
    await before?.()
    const matches = await verify(stored ?? (decoy as string), password).catch(() => false)
    const right = matches && stored !== null
    if (!right) await onWrong?.()
    return right
  })
  if (!right) return false
  if (verified.size >= maxVerified) verified.clear()
  verified.set(key, Date.now() + verifiedFor_ms)
  return true
}

/** A hash of nothing anybody knows, so that an unknown user name can't be told by the time the answer takes. */
const decoy = await hash(randomBytes(32))
