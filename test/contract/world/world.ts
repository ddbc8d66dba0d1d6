/** The fixtures of the laws in three visibilities: built once per engine and run, then copied for each test file. */
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
  /** Keyed by the visibility of their group and project. */
  fixtures: Record<Visibility, ContractFixtures>
}

/** The serialized form. Users, groups and projects are plain values with times as text. */
interface SavedWorld {
  /** The data folder, with the key that sealed values in the database. */
  home: string
  /** The argument of `databaseFrom`. */
  template: string
  /** The counter of `names`: the copy has users, groups and projects up to this number. */
  taken: number
  fixtures: Record<Visibility, Omit<ContractFixtures, 'forge'>>
}

/** A separate copy, closed with its test file. */
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

/** The path of a repository differs in each copy. */
function withForge(forge: Forge, { project, ...rest }: Omit<ContractFixtures, 'forge'>): ContractFixtures {
  return { ...rest, forge, project: { ...project, dir: forge.app.git.open(project.id).dir } }
}

async function buildWorld(folder: string): Promise<SavedWorld> {
  const home = join(folder, 'home')
  await mkdir(home)
  const database = await forgeDatabase(home)
  // Kept after the forge is closed.
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
