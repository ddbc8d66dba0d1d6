/**
 * Rules of milestones: titles are unique in a project and its group, and the due date can't be before the start. Nothing closes
 * automatically when it is due.
 */
import type { LocatedProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction, oneAtATime, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Day, Milestone, MilestoneTable, User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { notFound } from '../../../failure.ts'
import type { Place } from '../../../http/declare/places.ts'
import { assertValid, blankError, lengthError, withoutUndefined } from '../../../validation.ts'
import { nextNumber } from '../../spaces/numbering/numbering.ts'
import type { PlacedMilestone } from './milestones.present.ts'
import {
  deleteMilestone,
  insertMilestone,
  isTitleTaken,
  type MilestonePlace,
  milestoneAt,
  milestoneNumbered,
  milestonesTitled,
  milestoneTitled,
  updateMilestone,
} from './milestones.queries.ts'

const maxTitle_chars = 255
const maxDescription_chars = 1_000_000

export interface NewMilestone {
  title: string
  description?: string | null | undefined
  start_date?: Day | null | undefined
  due_date?: Day | null | undefined
}

export interface MilestoneChange extends Partial<NewMilestone> {
  state_event?: 'close' | 'activate' | undefined
}

/** A milestone of the place itself. Throws 404. */
export async function findMilestone(db: Db, place: Place, id: number): Promise<PlacedMilestone> {
  const found = await milestoneAt(db, milestonePlace(place), id, false)
  if (!found) throw notFound('Milestone')
  return found
}

/** A milestone that issues of the project can have: its own, or of a group above it. Null for others. */
export function findMilestoneFor(db: Db, project: LocatedProject, id: number): Promise<PlacedMilestone | null> {
  return milestoneAt(db, placeOfProject(project), id, true)
}

/** As `findMilestoneFor`, by title. */
export async function findMilestoneTitled(db: Db, project: LocatedProject, title: string): Promise<PlacedMilestone | null> {
  return title.includes('\0') ? null : milestoneTitled(db, placeOfProject(project), title)
}

/** As `findMilestoneTitled`, for several titles, keyed by title. They can't be deleted until the transaction ends. */
export async function findMilestonesTitled(db: Db, project: LocatedProject, titles: string[]): Promise<Map<string, PlacedMilestone>> {
  const found = await milestonesTitled(db, placeOfProject(project), titles)
  return new Map(found.reverse().map((milestone) => [milestone.title, milestone]))
}

/** A milestone of the place itself, by its number there, as in URLs of pages. Throws 404. */
export async function milestoneInPlace(db: Db, place: Place, iid: number): Promise<PlacedMilestone> {
  const found = await milestoneNumbered(db, milestonePlace(place), iid)
  if (!found) throw notFound('Milestone')
  return found
}

/** A milestone of the project itself, by its number there. */
export function findMilestoneNumbered(db: Db, project: LocatedProject, iid: number): Promise<PlacedMilestone | null> {
  return milestoneNumbered(db, placeOfProject(project), iid)
}

/** Throws 400 for an invalid field, including a title that is taken. */
export function createMilestone(app: App, user: User, place: Place, fields: NewMilestone): Promise<PlacedMilestone> {
  return inTransaction(app.db, async (tx) => placed(place, await createMilestoneIn(tx, user, milestonePlace(place), fields)))
}

/** As `createMilestone`, inside a transaction. */
export async function createMilestoneIn(tx: Tx, user: User, at: MilestonePlace, fields: NewMilestone): Promise<Milestone> {
  return insertAt(tx, user, at, await acceptFields(tx, at, null, { ...noDates, ...fields }))
}

/** Gives it the next number of its place. */
export async function insertAt(tx: Tx, user: User, at: MilestonePlace, values: Fields & Partial<Closing>): Promise<Milestone> {
  const created_at = now()
  const columns =
    'project_id' in at ? { project_id: at.project_id, namespace_id: null } : { project_id: null, namespace_id: at.namespace_id }
  const iid = await nextNumber(tx, 'project_id' in at ? { project_id: at.project_id } : at, 'milestone')
  const milestone = await insertMilestone(tx, { ...columns, ...values, iid, created_at, updated_at: created_at })
  await publish(tx, { type: 'milestone_created', milestone, actor_id: user.id, at: created_at })
  return milestone
}

/** Changes the sent fields; closing a closed one changes nothing. Throws 400 for an invalid field, 404 if it was deleted meanwhile. */
export async function changeMilestone(
  app: App,
  user: User,
  place: Place,
  before: Milestone,
  { state_event, ...change }: MilestoneChange,
): Promise<PlacedMilestone> {
  return inTransaction(app.db, async (tx) => {
    const at = now()
    const { title, description, start_date, due_date } = before
    const fields = { title, description, start_date, due_date, ...withoutUndefined(change) }
    const values = await acceptFields(tx, milestonePlace(place), before, fields)
    const state = stateAfter(before, state_event)
    const changed = await updateMilestone(tx, before.id, { ...values, ...(state && closing(state, at)), updated_at: at })
    if (!changed) throw notFound('Milestone')
    if (state)
      await publish(tx, {
        type: state === 'closed' ? 'milestone_closed' : 'milestone_reopened',
        milestone: changed,
        actor_id: user.id,
        at,
      })
    return placed(place, changed)
  })
}

/** Deletes it, and removes it from its issues with a record of each change. */
export async function removeMilestone(app: App, user: User, milestone: Milestone): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    await publish(tx, { type: 'milestone_removed', milestone, actor_id: user.id, at: now() })
    await deleteMilestone(tx, milestone.id)
  })
}

const noDates = { description: null, start_date: null, due_date: null }

type Fields = Pick<MilestoneTable, 'title' | 'description' | 'start_date' | 'due_date'>

/** The values in the stored form. Throws 400. */
async function acceptFields(tx: Tx, place: MilestonePlace, before: Milestone | null, sent: SentFields): Promise<Fields> {
  const { description = null, start_date = null, due_date = null } = sent
  const title = sent.title.trim()
  const isControlled = /\p{Cc}/u.test(title)
  assertValid({
    title: blankError(title) ?? (isControlled ? 'is invalid' : lengthError(title, maxTitle_chars)),
    description: lengthError(description ?? '', maxDescription_chars),
    due_date: start_date !== null && due_date !== null && due_date <= start_date ? 'must be greater than start date' : null,
  })
  if (title !== before?.title) {
    // Titles are unique in a group and its projects together, which no index can guarantee.
    await oneAtATime(tx, `milestones ${'project_id' in place ? place.below : place.namespace_id}`)
    const isTaken = await isTitleTaken(tx, place, title, before?.id ?? null)
    assertValid({ title: isTaken ? 'already being used for another group or project milestone.' : null })
  }
  return { title, description: description === '' ? null : description, start_date, due_date }
}

type SentFields = { [F in keyof Fields]: Fields[F] | undefined } & { title: string }

/** Null if it doesn't change. */
function stateAfter({ state }: Milestone, event: MilestoneChange['state_event']): Milestone['state'] | null {
  const wanted = event === 'close' ? 'closed' : event === 'activate' ? 'active' : state
  return wanted === state ? null : wanted
}

type Closing = Pick<Milestone, 'state' | 'closed_at'>

function closing(state: Milestone['state'], at: string): Closing {
  return { state, closed_at: state === 'closed' ? at : null }
}

function placed({ row }: Place, milestone: Milestone): PlacedMilestone {
  return { ...milestone, place_path: row.full_path }
}

export function milestonePlace({ kind, row }: Place): MilestonePlace {
  return kind === 'project' ? placeOfProject(row) : { namespace_id: row.id }
}

function placeOfProject({ id, namespace_id }: LocatedProject): MilestonePlace {
  return { project_id: id, below: namespace_id }
}
