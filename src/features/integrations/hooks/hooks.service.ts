/** Rules of webhooks: which URLs are allowed, and which values are secret. */
import type { App } from '../../../app.ts'
import { type Db, inTransaction, type Tx } from '../../../db/database.ts'
import type { Hook, HookFlag } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import type { CredentialHolder } from '../../../domain-events/security-events.ts'
import { Failure, invalid, missing } from '../../../failure.ts'
import { isBranchName } from '../../../git/refs/names.ts'
import type { Place } from '../../../http/declare/places.ts'
import { readTarget } from '../../../outgoing/ssrf-guard.ts'
import { acceptTarget } from '../../instance/targets.ts'
import { countHooks, deleteHook, type HookPlace, type HookSettings, hookAt, insertHook, lockHook, updateHook } from './hooks.queries.ts'
import { isSameHost, type NamedValue, type NamedValues, sealValues, type ValueKind, valuesOf, withValues } from './named-values.ts'

/** The sent fields of a hook; missing ones are kept. */
export interface SentHook extends Partial<Record<HookFlag, boolean>>, Partial<Record<ValueKind, NamedValue[]>> {
  url?: string
  token?: string | null
  signing_token?: string | null
  name?: string
  description?: string
  push_events_branch_filter?: string | null
  enable_ssl_verification?: boolean
  is_status_check?: true
}

/** Each event of a place is sent to all its hooks, so their number is limited. */
const maxHooks = 100

export function hookPlaceOf({ kind, row }: Place): HookPlace {
  return kind === 'group' ? { project_id: null, namespace_id: row.id } : { project_id: row.id, namespace_id: null }
}

/** Throws 404 for a hook of another place. */
export async function findHook(db: Db, place: HookPlace, id: number): Promise<Hook> {
  const hook = await hookAt(db, place, id)
  if (!hook) throw missing()
  return hook
}

type AlsoIn = (tx: Tx, hook: Hook) => Promise<void>
const nothingElse: AlsoIn = async () => {}

/**
 * Throws as `changeHook` does, and 400 if there are too many.
 * @param alsoIn writes what belongs to it, in the same transaction
 */
export async function createHook(app: App, place: HookPlace, sent: SentHook & { url: string }, alsoIn = nothingElse): Promise<Hook> {
  const settings = await accept(app, place, null, sent)
  if ((await countHooks(app.db, place, sent.is_status_check ?? false)) >= maxHooks)
    throw invalid(`Maximum number of hooks (${maxHooks}) exceeded`)
  return inTransaction(app.db, async (tx) => {
    const hook = await insertHook(tx, { ...place, ...settings, url: app.secrets.seal(sent.url.trim(), 'hooks.url') })
    await alsoIn(tx, hook)
    await publishChange(tx, hook, 'created')
    return hook
  })
}

/**
 * If the URL changes to another host, secrets that aren't sent along are cleared: whoever changes the URL may not know them. Throws 422 for
 * an invalid URL or branch filter, 404 if the hook was deleted meanwhile.
 */
export async function changeHook(app: App, hook: Hook, sent: SentHook, alsoIn = nothingElse): Promise<Hook> {
  const leaves = sent.url !== undefined && !isSameHost(sent.url, app.secrets.unseal(hook.url, 'hooks.url'))
  const settings = await accept(app, hook, leaves ? null : hook, leaves ? { ...noSecrets, ...sent } : sent)
  // A new URL ends the pause, as its user wants to see it called.
  const woken = sent.url === undefined ? {} : { failures: 0, rests_until: null, last_error: null }
  return inTransaction(app.db, async (tx) => {
    const changed = await updateHook(tx, hook.id, { ...settings, ...woken })
    if (!changed) throw missing()
    await alsoIn(tx, changed)
    await publishChange(tx, changed, 'changed')
    return changed
  })
}

/** Succeeds even if it was already deleted. */
export async function removeHook({ db }: App, hook: Hook): Promise<void> {
  await inTransaction(db, async (tx) => {
    if (await deleteHook(tx, hook.id)) await publishChange(tx, hook, 'removed')
  })
}

function publishChange(tx: Tx, { id, project_id, namespace_id }: Hook, act: 'created' | 'changed' | 'removed'): Promise<void> {
  const inGroup: CredentialHolder = namespace_id === null ? 'instance' : { namespace_id }
  return publish(tx, { type: 'webhook_changed', of: project_id === null ? inGroup : { project_id }, act, hook_id: id })
}

/** Concurrent changes are serialized, so none is lost. Throws as `change` does, and 404 if the hook was deleted. */
export async function changeValues(app: App, { id }: Hook, kind: ValueKind, change: (earlier: NamedValues) => NamedValues): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    const hook = await lockHook(tx, id)
    if (!hook) throw missing()
    await updateHook(tx, id, { [kind]: sealValues(app, kind, change(valuesOf(app, hook, kind))) })
    await publishChange(tx, hook, 'changed')
  })
}

const noSecrets: SentHook = { token: null, signing_token: null, custom_headers: [], url_variables: [] }

async function accept(
  app: App,
  place: HookPlace,
  earlier: Hook | null,
  { url, token, signing_token, custom_headers, url_variables, ...sent }: SentHook,
): Promise<HookSettings> {
  const valuesAfter = (kind: ValueKind, given: NamedValue[] = []) => withValues(kind, earlier ? valuesOf(app, earlier, kind) : {}, given)
  if (url !== undefined) await acceptUrl(app, place, url)
  const filter = sent.push_events_branch_filter?.trim() || null
  if (filter !== null && !isBranchName(filter.replaceAll('*', 'x'))) throw unprocessable('Invalid branch filter given')
  if (token && hasLineBreak(token)) throw invalid({ token: ['is invalid'] })
  if (signing_token && signingKey(signing_token) === null) {
    throw invalid({ signing_token: ['must be whsec_ followed by 24 to 64 bytes in Base64'] })
  }
  const sealed = (text: string | null, purpose: string) => (text ? app.secrets.seal(text, purpose) : null)
  return {
    ...sent,
    ...(sent.push_events_branch_filter !== undefined && { push_events_branch_filter: filter }),
    ...(url !== undefined && { url: app.secrets.seal(url.trim(), 'hooks.url') }),
    ...(token !== undefined && { token: sealed(token, 'hooks.token') }),
    ...(signing_token !== undefined && { signing_token: sealed(signing_token, 'hooks.signing_token') }),
    ...(custom_headers && { custom_headers: sealValues(app, 'custom_headers', valuesAfter('custom_headers', custom_headers)) }),
    ...(url_variables && { url_variables: sealValues(app, 'url_variables', valuesAfter('url_variables', url_variables)) }),
  }
}

/** Hooks of the instance belong to an administrator, who may allow local URLs. */
async function acceptUrl(app: App, { project_id, namespace_id }: HookPlace, url: string): Promise<void> {
  if (project_id === null && namespace_id === null) return acceptAnywhere(url)
  await acceptTarget(app, 'url', url).catch((error: unknown) => {
    throw error instanceof Failure ? unprocessable('Invalid url given', error) : error
  })
}

function acceptAnywhere(url: string): void {
  try {
    readTarget(url, { local: true })
  } catch (error) {
    throw error instanceof Failure ? invalid({ url: [`is blocked: ${error.message}`] }, error) : error
  }
}

function unprocessable(error: string, cause?: unknown): Failure {
  return new Failure('unprocessable', error, { body: { error }, cause })
}

function hasLineBreak(text: string): boolean {
  return /[\r\n\0]/.test(text)
}

/** The key in `whsec_…`, which signs requests; null if it is malformed. */
export function signingKey(token: string): Buffer | null {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(token) ?? []
  const key = Buffer.from(base64 ?? '', 'base64')
  return key.length >= 24 && key.length <= 64 ? key : null
}
