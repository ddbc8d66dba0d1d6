/** The client of Unleash from npm, unmodified, reads the feature flags of a project. */
import { type EventEmitter, once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'vitest'
import { instanceIdOf } from '../../src/features/ci/project-flags/project-flags.ts'
import { clientTestIf } from './client-test.ts'
import { packages } from './npm-programs.ts'

interface Client extends EventEmitter {
  isEnabled: (name: string, context?: { userId?: string }) => boolean
  destroyWithFlush: () => Promise<void>
}

interface Options {
  url: string
  appName: string
  instanceId: string
  /** The folder in which the client keeps the flags that it read last. */
  backupPath: string
  refreshInterval: number
  metricsInterval: number
}

const file = join(packages, 'unleash-client/lib/index.js')

clientTestIf(existsSync(file))(
  'it registers, evaluates strategies, sees a change and reports what it made of the flags',
  {},
  async (forge) => {
    const { Unleash } = (await import(pathToFileURL(file).href)) as { Unleash: new (options: Options) => Client }
    const developer = await forge.user()
    const project = await forge.project({ developer, files: null })
    const at = `/projects/${project.id}/feature_flags`
    const scopes = [{ environment_scope: 'production' }]
    const flags = [
      { name: 'for_all', strategies: [{ name: 'default', scopes }] },
      { name: 'for_ada', strategies: [{ name: 'userWithId', parameters: { userIds: 'ada' }, scopes }] },
      { name: 'elsewhere', strategies: [{ name: 'default', scopes: [{ environment_scope: 'staging' }] }] },
      {
        name: 'rolled_out',
        strategies: [{ name: 'flexibleRollout', parameters: { groupId: 'default', rollout: '100', stickiness: 'default' }, scopes }],
      },
      { name: 'held_back', strategies: [{ name: 'gradualRolloutUserId', parameters: { groupId: 'default', percentage: '0' }, scopes }] },
    ]
    for (const flag of flags) expect((await forge.as(developer).post(at, flag)).status).toBe(201)
    const unleash = new Unleash({
      url: `${await forge.url()}/api/v4/feature_flags/unleash/${project.id}`,
      appName: 'production',
      instanceId: await instanceIdOf(forge.app, project.id),
      backupPath: await forge.folder(),
      refreshInterval: 50,
      metricsInterval: 3_600_000,
    })
    const failures: unknown[] = []
    unleash.on('error', (error) => failures.push(error))
    unleash.on('warn', (warning) => failures.push(warning))
    const registered = once(unleash, 'registered')
    await once(unleash, 'synchronized')
    await registered
    const enabled = (userId: string) => flags.filter(({ name }) => unleash.isEnabled(name, { userId })).map(({ name }) => name)
    expect(enabled('ada')).toEqual(['for_all', 'for_ada', 'rolled_out'])
    expect(enabled('eve')).toEqual(['for_all', 'rolled_out'])

    await forge.as(developer).put(`${at}/for_all`, { active: false })
    // An answer to a question from before may still be on its way.
    await expect.poll(() => enabled('eve')).toEqual(['rolled_out'])
    const sent = once(unleash, 'sent')
    await unleash.destroyWithFlush()
    await sent
    expect(failures).toEqual([])
  },
)
