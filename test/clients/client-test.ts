/** Tests of clients: each runs with both API versions, as clients choose by the version what they ask for. */
import { test } from 'vitest'
import { type Forge, openForge, testForge } from '../support/forge.ts'
import { atEndOfFile } from '../support/run/cleanup.ts'
import { inFullRun } from '../support/run/tiers.ts'

/** Today's, the default, and that of the clients of 2018. */
export const apiVersions = ['17.11.0', '11.3.14'] as const

type Options = ReturnType<typeof inFullRun>

/** Further forges of this test file, keyed by API version, besides the shared one. */
const forges = new Map<string, Promise<Forge>>()

/** The forge of this test file that reports this version. */
async function forgeOf(api_version: string): Promise<Forge> {
  const shared = await testForge()
  if (shared.app.config.api_version === api_version) return shared
  if (forges.size === 0) atEndOfFile(() => forges.clear())
  const forge = forges.get(api_version) ?? openForge({ config: { api_version } })
  forges.set(api_version, forge)
  return forge
}

/** As `test.runIf`, with each version; the gate runs the first one. */
export const clientTestIf =
  (isInstalled: boolean) =>
  (title: string, options: Options, work: (forge: Forge) => Promise<void>): void => {
    for (const api_version of apiVersions) {
      const again = api_version === apiVersions[0] ? {} : inFullRun('The gate runs the same calls with the default version.')
      test.runIf(isInstalled)(`${title}, API version ${api_version}`, { ...again, ...options }, async () =>
        work(await forgeOf(api_version)),
      )
    }
  }

export const clientTest = clientTestIf(true)
