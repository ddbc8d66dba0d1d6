/**
 * Second factors of a user: an authenticator app, passkeys, and recovery codes for users who have lost both. With an app or passkey, the
 * password alone gives no access (`signInByPasswordAlone`).
 */
import { isKnownNetwork } from '../../../access/passwords/known-networks.ts'
import { admitAttempt } from '../../../access/passwords/rate-limit.ts'
import { mayAct } from '../../../access/states.ts'
import { requireUserNamed } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { invalid, missing } from '../../../failure.ts'
import { digestOfRecoveryCode, newRecoveryCodes } from './recovery-codes.ts'
import {
  countRecoveryCodes,
  deleteFactors,
  deletePasskey,
  deletePendingOf,
  findTotp,
  lockOwner,
  passkeysOf,
  replaceRecoveryCodes,
  replaceTotp,
  setEnabled,
  useRecoveryCode,
  useStep,
} from './second-factor.queries.ts'
import { newTotpSecret, stepOfCode } from './totp.ts'

const sealedFor = 'totp_factors.secret'

/** A secret that the set-up page shows, and the sealed value that its form sends back, which only the server can read or create. */
export interface TotpOffer {
  secret: string
  sealed: string
}

/** @param sent the value from the form, to be offered again; a new secret is created if it isn't valid */
export function offerTotp(app: App, user: Pick<User, 'id'>, sent = ''): TotpOffer {
  const known = readOffer(app, user, sent)
  if (known !== null) return { secret: known, sealed: sent }
  const secret = newTotpSecret()
  return { secret, sealed: app.secrets.seal(secret, offeredTo(user)) }
}

function readOffer(app: App, user: Pick<User, 'id'>, sealed: string): string | null {
  try {
    return app.secrets.unseal(sealed, offeredTo(user))
  } catch {
    return null
  }
}

function offeredTo({ id }: Pick<User, 'id'>): string {
  return `authenticator app offered to ${id}`
}

/**
 * Sets up the authenticator app that shows this code, replacing the previous one. Returns recovery codes if it is the first factor, which
 * ends all other sessions (`session` is the digest of this one); null if the existing codes stay valid. Throws 400 for a wrong code.
 */
export async function setUpTotp(
  app: App,
  user: Pick<User, 'id'>,
  sent: { offer: string; code: string; session?: string | null },
  at_ms = Date.now(),
): Promise<string[] | null> {
  const secret = readOffer(app, user, sent.offer)
  if (secret === null) throw invalid('This form has expired. Scan the new code, and type what your app shows.')
  const step = stepOfCode(secret, sent.code, at_ms)
  if (step === null) throw invalid({ code: ['is wrong'] })
  const row = { user_id: user.id, secret: app.secrets.seal(secret, sealedFor), last_counter: step, created_at: now() }
  return inTransaction(app.db, async (tx) => {
    const isFirst = await lockForFactor(tx, user.id)
    await replaceTotp(tx, row)
    return afterAdding(tx, user.id, isFirst ? { session: sent.session ?? null } : null)
  })
}

/** Whether it will be the first factor. Throws 404 for users who can't have one. */
export async function lockForFactor(tx: Tx, user_id: number): Promise<boolean> {
  const owner = await lockOwner(tx, user_id)
  if (owner?.kind !== 'human' || !mayAct(owner)) throw missing()
  return !owner.two_factor_enabled
}

/**
 * Last step of the transaction that adds a factor.
 * @param first where it is the first one: the session of the user, which goes on
 */
export async function afterAdding(tx: Tx, user_id: number, first: { session: string | null } | null): Promise<string[] | null> {
  if (first === null) return null
  await setEnabled(tx, user_id, true)
  await publish(tx, { type: 'second_factor_enabled', user_id, session: first.session })
  return writeCodes(tx, user_id)
}

async function writeCodes(tx: Tx, user_id: number): Promise<string[]> {
  const codes = newRecoveryCodes()
  await replaceRecoveryCodes(
    tx,
    user_id,
    codes.map((code) => digestOfRecoveryCode(code) as string),
  )
  return codes
}

/** New recovery codes: the old ones become invalid. Throws 404 without a second factor. */
export function renewRecoveryCodes(app: App, user_id: number): Promise<string[]> {
  return inTransaction(app.db, async (tx) => {
    if (!(await lockOwner(tx, user_id))?.two_factor_enabled) throw missing()
    return writeCodes(tx, user_id)
  })
}

/** Removes all factors of a user, so that the password suffices again. False if there were none. */
export function turnOffSecondFactor(app: App, user_id: number): Promise<boolean> {
  return inTransaction(app.db, async (tx) => {
    if (!(await lockOwner(tx, user_id))?.two_factor_enabled) return false
    await turnOffIn(tx, user_id)
    return true
  })
}

/** As `turnOffSecondFactor`, for an administrator of the machine. Returns the result as a sentence. */
export async function turnOffByName(app: App, username: string): Promise<string> {
  const user = await requireUserNamed(app.db, username)
  const wasOn = await turnOffSecondFactor(app, user.id)
  return wasOn ? `The second factor of ${user.username} is off.` : `${user.username} has no second factor.`
}

async function turnOffIn(tx: Tx, user_id: number): Promise<void> {
  await deleteFactors(tx, user_id)
  await deletePendingOf(tx, user_id)
  await setEnabled(tx, user_id, false)
  await publish(tx, { type: 'second_factor_disabled', user_id })
}

/** Removes a passkey; with the last factor, the recovery codes are removed too. Throws 404 if the user has no such passkey. */
export function removePasskey(app: App, user_id: number, id: number): Promise<void> {
  return inTransaction(app.db, async (tx) => {
    await lockOwner(tx, user_id)
    if (!(await deletePasskey(tx, user_id, id))) throw missing()
    if ((await passkeysOf(tx, user_id)).length === 0 && !(await findTotp(tx, user_id))) await turnOffIn(tx, user_id)
  })
}

export interface SecondFactorFacts {
  /** When the authenticator app was set up; null without one. */
  totp_since: string | null
  passkeys: Array<{ id: number; name: string; created_at: string; last_used_at: string | null }>
  recovery_codes: number
}

export async function secondFactorOf(app: App, user_id: number): Promise<SecondFactorFacts> {
  const totp = await findTotp(app.db, user_id)
  const passkeys = await passkeysOf(app.db, user_id)
  return { totp_since: totp?.created_at ?? null, passkeys, recovery_codes: await countRecoveryCodes(app.db, user_id) }
}

interface Shown {
  user: Pick<User, 'id'>
  /** A code of the app, or a recovery code. */
  code: string
  /** IP address of the client. */
  address: string
  at_ms?: number
}

/**
 * Whether this is an unused code of the user; it counts as used now. Throws 429 after too many wrong ones, which are counted separately
 * from wrong passwords: nobody gets here without the correct password.
 */
export async function showsFactor(app: App, { user, code, address, at_ms = Date.now() }: Shown): Promise<boolean> {
  const { db } = app
  const totp = await findTotp(db, user.id)
  const guess = { secret: 'second_factor', login: String(user.id), address, user_id: user.id } as const
  const attempt = await admitAttempt(db, guess, () => isKnownNetwork(db, user.id, address))
  const step = totp === null ? null : stepOfCode(app.secrets.unseal(totp.secret, sealedFor), code, at_ms)
  const recovery = digestOfRecoveryCode(code)
  const isRight =
    (totp !== null && step !== null && (await useStep(db, user.id, totp.secret, step))) ||
    (recovery !== null && (await useRecoveryCode(db, user.id, recovery)))
  await (isRight ? attempt.wasRight() : attempt.wasWrong())
  return isRight
}

/** Whether the text has the format of a code, of an app or for recovery: passwords are longer, and few have this form. */
export function isFactorCode(text: string): boolean {
  return /^\s*\d{3}\s?\d{3}\s*$/.test(text) || digestOfRecoveryCode(text) !== null
}
