/** Whether the pushes and commits of a project whose server died have their events. */
import { join } from 'node:path'
import { expect } from 'vitest'
import { hashedPath } from '../../src/git/repository/repository.ts'
import { git } from '../support/git.ts'
import { query } from './settled.ts'

export interface AcknowledgedRef {
  ref: string
  oid: string
}

/** The events of each ref lead, without a gap and without a repetition, from nothing to where the ref is now. */
export async function expectEverythingTold(home: string, project_id: number, acknowledged: AcknowledgedRef[]): Promise<void> {
  const events = await query(home, (db) =>
    db
      .selectFrom('events')
      .select(['ref', 'before_oid', 'after_oid'])
      .where('project_id', '=', project_id)
      .where('action', '=', 'pushed')
      .orderBy('id')
      .execute(),
  )
  const dir = join(home, 'repositories', hashedPath(project_id))
  const refs = (await git(dir, 'for-each-ref', '--format=%(refname) %(objectname)')).split('\n').map((line) => line.split(' '))
  for (const [ref, tip] of refs) {
    const steps = new Map(events.filter((event) => event.ref === ref).map(({ before_oid, after_oid }) => [before_oid, after_oid]))
    const path: unknown[] = []
    for (let at = steps.get(null); at; at = steps.get(at)) path.push(at)
    expect([ref, path.length, path.at(-1)]).toEqual([ref, events.filter((event) => event.ref === ref).length, tip])
  }
  const told = new Set(events.map(({ ref, after_oid }) => `${ref} ${after_oid}`))
  expect(acknowledged.filter(({ ref, oid }) => !told.has(`${ref} ${oid}`))).toEqual([])
}
