/** Topics of projects: administrators change them; everybody else can read the topics of projects they can see. */
import { type Static, Type } from 'typebox'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { administrator, anyone, type Granted } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id, none, nullable, Off, resource } from '../../../http/parameters/schema.ts'
import { type CountedTopic, deleteTopic, listTopics } from './topics.queries.ts'
import { changeTopic, createTopic, mergeTopics, requireTopic } from './topics.service.ts'

const Topic = resource('Topic', {
  id: Type.Integer(),
  name: Type.String(),
  title: Type.String(),
  description: nullable(Type.String()),
  total_projects_count: Type.Integer({ description: 'Of the projects that the caller can see' }),
  organization_id: Type.Integer(),
  avatar_url: nullable(Type.String()),
})

const topic = nested({ id: Id }, async ({ user }: Granted, { id }, app) => ({ topic: await requireTopic(app, user, id) }))

const fields = {
  title: Type.Optional(Type.String({ description: 'The name by default' })),
  description: Type.Optional(nullable(Type.String())),
}

export const topics = [
  listEndpoint('GET /topics', {
    summary: 'List topics, those of most projects first',
    access: anyone(),
    query: { search: Type.Optional(Type.String({ description: 'Part of a name' })), without_projects: Off },
    item: Topic,
    async handle({ app, user, query, page }) {
      const { rows, total } = await listTopics(app.db, user, query, page)
      return { rows: rows.map(present), total }
    },
  }),
  endpoint('GET /topics/:id', {
    summary: 'Get a topic',
    access: within(anyone(), topic),
    reply: Topic,
    handle: ({ topic }) => present(topic),
  }),
  endpoint('POST /topics', {
    summary: 'Create a topic',
    access: administrator(),
    body: { name: Type.String(), ...fields },
    reply: Topic,
    handle: async ({ app, user, body }) => present(await createTopic(app, user, body)),
  }),
  endpoint('PUT /topics/:id', {
    summary: 'Update a topic',
    access: within(administrator(), topic),
    body: { name: Type.Optional(Type.String()), ...fields },
    atLeastOne: ['name', 'title', 'description'],
    reply: Topic,
    handle: async ({ app, user, topic, body }) => present(await changeTopic(app, user, topic.id, body)),
  }),
  endpoint('DELETE /topics/:id', {
    summary: 'Delete a topic, and remove it from its projects',
    access: within(administrator(), topic),
    reply: none,
    lastChanged: ({ topic }) => topic.updated_at,
    async handle({ app, topic }) {
      await deleteTopic(app.db, topic.id)
      return null
    },
  }),
  endpoint('POST /topics/merge', {
    summary: 'Merge a topic into another one',
    operationId: 'mergeTopics',
    access: administrator(),
    body: { source_topic_id: Id, target_topic_id: Id },
    reply: Topic,
    handle: async ({ app, user, body }) => present(await mergeTopics(app, user, body.source_topic_id, body.target_topic_id)),
  }),
]

function present({ id, name, title, description, projects }: CountedTopic): Static<typeof Topic> {
  return { id, name, title, description, total_projects_count: projects, organization_id: 1, avatar_url: null }
}
