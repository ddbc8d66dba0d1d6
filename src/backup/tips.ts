/** Positions of refs according to the events of the snapshot: for projects deleted since, and for stuck changes. */
import type { Manifest } from './manifest.ts'
import { existingProjects } from './moves.queries.ts'
import { type Pushed, pushedIn, tipOf } from './pushed.ts'
import type { TipsOf } from './refs.ts'
import type { Source } from './source.ts'
import { projectsIn } from './tables.ts'

/** One pass through the events for all projects deleted so far; another if one is deleted later. */
export function tipsInSnapshot({ db }: Pick<Source, 'db'>, folder: string, manifest: Pick<Manifest, 'tables'>): TipsOf {
  let reading: Promise<Map<number, Map<string, Pushed>>> | null = null
  const read = async (project_id: number) => {
    const gone = [project_id]
    for await (const ids of inBatches(projectsIn(folder, manifest), 500)) {
      const there = await existingProjects(db, ids)
      gone.push(...ids.filter((id) => !there.has(id)))
    }
    return pushedIn(folder, manifest, gone)
  }
  return async (project_id) => {
    reading ??= read(project_id)
    const known = (await reading).get(project_id)
    if (!known) reading = read(project_id)
    const pushed = known ?? (await reading).get(project_id) ?? new Map<string, Pushed>()
    return new Map([...pushed].map(([ref, events]) => [ref, tipOf(events)]))
  }
}

async function* inBatches(projects: AsyncIterable<{ id: number }>, size: number): AsyncGenerator<number[]> {
  let ids: number[] = []
  for await (const { id } of projects) {
    ids.push(id)
    if (ids.length < size) continue
    yield ids
    ids = []
  }
  if (ids.length > 0) yield ids
}
