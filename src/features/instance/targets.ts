/** URLs to which users let the server connect: checked when they are entered, and again before each connection. */
import type { App } from '../../app.ts'
import { Failure, invalid, nullIfMissing } from '../../failure.ts'
import { type PinnedTarget, pinTarget, readTarget, type Target } from '../../outgoing/ssrf-guard.ts'
import { readSettings } from './settings/settings.ts'

/** Throws 400 with the error of `field`. An unknown host is accepted, as it may exist later. */
export async function acceptTarget(
  app: App,
  field: string,
  text: string,
  ports?: number[],
  { ssh = false }: { ssh?: boolean } = {},
): Promise<Target> {
  const rules = { ...(await targetRules(app)), ...(ports && { ports }), ssh }
  try {
    const target = readTarget(text, rules)
    await pinTarget(target, rules).catch(nullIfMissing)
    return target
  } catch (error) {
    throw error instanceof Failure ? invalid({ [field]: [`is blocked: ${error.message}`] }, error) : error
  }
}

/** Resolves the host once: the request connects to the address that was checked here. */
export async function locateTarget(app: App, target: Target): Promise<PinnedTarget> {
  return pinTarget(target, await targetRules(app))
}

/** Rules for the addresses of targets, from the settings. */
export async function targetRules(app: App): Promise<{ local: boolean }> {
  return { local: (await readSettings(app.db)).allow_local_requests_from_hooks_and_services }
}
