/** Projects that were deleted between the snapshot and the copy: their events are in the generation alone. */
import type { Manifest } from './manifest.ts'
import { existingProjects } from './moves.queries.ts'
import { type Pushed, pushedIn, tipOf } from './pushed.ts'
import type { TipsOf } from './refs.ts'
import type { Source } from './source.ts'
import { projectsIn } from './tables.ts'

/** One pass through the events for all projects that are gone by then; another when one went later. */
export function tipsOfDeleted({ db }: Pick<Source, 'db'>, folder: string, manifest: Pick<Manifest, 'tables'>): TipsOf {
  let reading: Promise<Map<number, Map<string, Pushed>>> | null = null
  const read = async () => {
    const gone: number[] = []
    for await (const ids of inBatches(projectsIn(folder, manifest), 500)) {
      const there = await existingProjects(db, ids)
      gone.push(...ids.filter((id) => !there.has(id)))
    }
    return pushedIn(folder, manifest, gone)
  }
  return async (project_id) => {
    reading ??= read()
    const known = (await reading).get(project_id)
    if (!known) reading = read()
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
