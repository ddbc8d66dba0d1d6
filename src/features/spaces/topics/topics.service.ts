/** Rules of the topics that administrators maintain. */
import type { App } from '../../../app.ts'
import { inTransaction, isUniqueViolation } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'
import { invalid, notFound } from '../../../failure.ts'
import { assertValid, blankError, lengthError } from '../../../validation.ts'
import { type CountedTopic, copyProjects, deleteTopic, findTopic, insertTopic, updateTopic } from './topics.queries.ts'
import { topicError } from './topics.rules.ts'

export interface TopicFields {
  name?: string | undefined
  title?: string | undefined
  /** Null removes it. */
  description?: string | null | undefined
}

const longestTitle = 255
const longestDescription = 2_000

/** Throws 404 if the viewer can't see it. */
export async function requireTopic(app: App, viewer: User | null, id: number): Promise<CountedTopic> {
  const topic = await findTopic(app.db, viewer, id)
  if (!topic) throw notFound('Topic')
  return topic
}

/** Throws 400 with the errors. */
export async function createTopic(app: App, user: User, fields: TopicFields & { name: string }): Promise<CountedTopic> {
  const { name, title = name, description = null } = trimmed(fields)
  assertWellFormed({ ...fields, name })
  const row = { name, name_key: name.toLowerCase(), title, description, managed: true }
  return requireTopic(app, user, await insertTopic(app.db, row).catch(asTaken))
}

/** Throws 400 with the errors. After this, everybody can see the topic. */
export async function changeTopic(app: App, user: User, id: number, fields: TopicFields): Promise<CountedTopic> {
  const change = trimmed(fields)
  assertWellFormed(change)
  const key = change.name === undefined ? {} : { name_key: change.name.toLowerCase() }
  await inTransaction(app.db, (tx) => updateTopic(tx, id, { ...change, ...key, managed: true })).catch(asTaken)
  return requireTopic(app, user, id)
}

/**
 * Gives the projects of the source the target, and deletes the source. Throws 404 if one of them doesn't exist, 400 if they are the same.
 */
export async function mergeTopics(app: App, user: User, source: number, target: number): Promise<CountedTopic> {
  await requireTopic(app, user, source)
  await requireTopic(app, user, target)
  if (source === target) throw invalid('The source topic and the target topic are identical.')
  await inTransaction(app.db, async (tx) => {
    await copyProjects(tx, source, target)
    await deleteTopic(tx, source)
  })
  return requireTopic(app, user, target)
}

function trimmed<T extends TopicFields>(fields: T): T {
  const sent = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(sent.map(([name, value]) => [name, typeof value === 'string' ? value.trim() : value])) as T
}

function assertWellFormed({ name, title, description }: TopicFields): void {
  assertValid({
    name: name === undefined ? null : (blankError(name) ?? topicError(name) ?? commaError(name)),
    title: title === undefined ? null : (blankError(title) ?? lengthError(title, longestTitle)),
    description: lengthError(description ?? '', longestDescription),
  })
}

/** Clients send the topics of a project separated by commas. */
function commaError(name: string): string | null {
  return name.includes(',') ? 'cannot contain commas' : null
}

function asTaken(error: unknown): never {
  throw isUniqueViolation(error) ? invalid({ name: ['has already been taken'] }, error) : error
}
