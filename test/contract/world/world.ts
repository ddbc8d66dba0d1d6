/** The fixtures of the laws in three visibilities: built once for each engine and run, then copied for each test file. */
import { cp, mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Visibility } from '../../../src/db/tables.ts'
import { databaseFrom, engine, keepAsTemplate } from '../../support/database.ts'
import { names } from '../../support/fixtures/names.ts'
import { type Forge, forgeDatabase, openForge } from '../../support/forge.ts'
import { onceForAll } from '../../support/run/once-for-all.ts'
import { buildFixtures, type ContractFixtures } from './fixtures.ts'

export const visibilities = ['private', 'internal', 'public'] as const

export interface World {
  forge: Forge
  /** By the visibility of the group and the project in them. */
  fixtures: Record<Visibility, ContractFixtures>
}

/** As it is written down. Users, groups and projects are plain values, whose instants are text. */
interface SavedWorld {
  /** The data folder: the key that sealed what is in the database is in it. */
  home: string
  /** What `databaseFrom` takes. */
  template: string
  /** Of `names`: the copy has the users, groups and projects up to this one. */
  taken: number
  fixtures: Record<Visibility, Omit<ContractFixtures, 'forge'>>
}

/** A copy of one's own, closed with its test file. */
export async function openWorld(): Promise<World> {
  const { home: from, template, taken, fixtures } = await onceForAll(`world-${engine}`, buildWorld)
  names.taken = Math.max(names.taken, taken)
  const forge = await openForge({
    async prepare(home) {
      await cp(from, home, { recursive: true, filter: (file) => !isDatabase(file) })
      return databaseFrom(template, home)
    },
  })
  const opened = visibilities.map((visibility) => [visibility, withForge(forge, fixtures[visibility])])
  return { forge, fixtures: Object.fromEntries(opened) as World['fixtures'] }
}

const isDatabase = (file: string) => basename(file).startsWith('gitstead.sqlite')

/** A repository is elsewhere in each copy. */
function withForge(forge: Forge, { project, ...rest }: Omit<ContractFixtures, 'forge'>): ContractFixtures {
  return { ...rest, forge, project: { ...project, dir: forge.app.git.open(project.id).dir } }
}

async function buildWorld(folder: string): Promise<SavedWorld> {
  const home = join(folder, 'home')
  await mkdir(home)
  const database = await forgeDatabase(home)
  // It stays when the forge is closed.
  const forge = await openForge({ config: { home }, prepare: async () => ({ ...database, drop: async () => {} }) })
  const built: Array<[Visibility, Omit<ContractFixtures, 'forge'>]> = []
  for (const visibility of visibilities) {
    const { forge: _, ...fixtures } = await buildFixtures(forge, visibility)
    built.push([visibility, fixtures])
  }
  await forge.close()
  const saved = { home, template: await keepAsTemplate(database), taken: names.taken }
  return { ...saved, fixtures: Object.fromEntries(built) as SavedWorld['fixtures'] }
}
