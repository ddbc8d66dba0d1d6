/** Addresses that users give the server to go to: looked at when they are given, to say no at once, and again when it goes there. */
import type { App } from '../../app.ts'
import { Failure, invalid, nullIfMissing } from '../../failure.ts'
import { type PinnedTarget, pinTarget, readTarget, type Target } from '../../outgoing/ssrf-guard.ts'
import { readSettings } from '../instance/settings/settings.ts'

/** Throws 400 that says of `field` what is wrong. A host that isn't there now may be there later. */
export async function acceptTarget(app: App, field: string, text: string, ports?: number[]): Promise<Target> {
  const rules = { ...(await rulesOf(app)), ...(ports && { ports }) }
  try {
    const target = readTarget(text, rules)
    await pinTarget(target, rules).catch(nullIfMissing)
    return target
  } catch (error) {
    throw error instanceof Failure ? invalid({ [field]: [`is blocked: ${error.message}`] }, error) : error
  }
}

/** Looked up anew, and from here on no more: where it leads now is what is judged, and where the request goes. */
export async function locateTarget(app: App, target: Target): Promise<PinnedTarget> {
  return pinTarget(target, await rulesOf(app))
}

async function rulesOf(app: App): Promise<{ local: boolean }> {
  return { local: (await readSettings(app.db)).allow_local_requests_from_hooks_and_services }
}
