/** Milestones of projects and groups (spec 2.5): one family. */
import { Type } from 'typebox'
import { endpoint, listEndpoint } from '../../../http/declare/endpoint.ts'
import { onProjectsAndGroups } from '../../../http/declare/places.ts'
import { Day, Id, Instant, none, nullable, Off, oneOf, oneOfDefault } from '../../../http/parameters/schema.ts'
import { milestoneToChange, milestoneToRead, readingMilestones, writingMilestones } from './milestones.access.ts'
import { presentMilestone } from './milestones.present.ts'
import { listMilestones } from './milestones.queries.ts'
import { Milestone } from './milestones.schema.ts'
import { changeMilestone, createMilestone, milestonePlace, removeMilestone } from './milestones.service.ts'
import { promoteMilestone, promoting } from './promotion.ts'

const filters = {
  iids: Type.Optional(Type.Array(Id, { maxItems: 1_000, description: 'Numbers; ignored with include_ancestors' })),
  state: oneOfDefault('all', 'active', 'closed'),
  title: Type.Optional(Type.String()),
  search: Type.String({ default: '', description: 'Part of the title or the description' }),
  updated_before: Type.Optional(Instant),
  updated_after: Type.Optional(Instant),
  include_ancestors: Type.Unsafe<boolean>({ ...Off, description: 'Also those of the groups above' }),
  include_parent_milestones: Type.Unsafe<boolean>({ ...Off, description: 'The earlier name of include_ancestors' }),
}
const optional = {
  description: Type.Optional(nullable(Type.String())),
  due_date: Type.Optional(nullable(Day)),
  start_date: Type.Optional(nullable(Day)),
}

export const milestones = [
  ...onProjectsAndGroups((kind) => [
    listEndpoint(`GET /${kind}s/:id/milestones`, {
      summary: `List the milestones of a ${kind}`,
      access: readingMilestones(kind),
      query: filters,
      item: Milestone,
      async handle({ app, place, page, query: { include_ancestors, include_parent_milestones, ...filter } }) {
        const inherited = include_ancestors || include_parent_milestones
        const { rows, total } = await listMilestones(app.db, milestonePlace(place), { ...filter, inherited }, page)
        return { rows: rows.map((row) => presentMilestone(app.config, row)), total }
      },
    }),
    endpoint(`GET /${kind}s/:id/milestones/:milestone_id`, {
      summary: `Get a milestone of a ${kind}`,
      access: milestoneToRead(kind),
      reply: Milestone,
      handle: ({ app, milestone }) => presentMilestone(app.config, milestone),
    }),
    endpoint(`POST /${kind}s/:id/milestones`, {
      summary: `Create a milestone in a ${kind}`,
      access: writingMilestones(kind),
      body: { title: Type.String(), ...optional },
      reply: Milestone,
      handle: async ({ app, user, place, body }) => presentMilestone(app.config, await createMilestone(app, user, place, body)),
    }),
    endpoint(`PUT /${kind}s/:id/milestones/:milestone_id`, {
      summary: `Update a milestone of a ${kind}`,
      access: milestoneToChange(kind),
      body: { title: Type.Optional(nullable(Type.String())), ...optional, state_event: Type.Optional(oneOf('close', 'activate')) },
      atLeastOne: ['title', 'description', 'start_date', 'due_date', 'state_event'],
      reply: Milestone,
      async handle({ app, user, place, milestone, body: { title, ...others } }) {
        // An empty title is an error; it is not ignored.
        const change = title === undefined ? others : { ...others, title: title ?? '' }
        return presentMilestone(app.config, await changeMilestone(app, user, place, milestone, change))
      },
    }),
    endpoint(`DELETE /${kind}s/:id/milestones/:milestone_id`, {
      summary: `Delete a milestone of a ${kind}`,
      access: milestoneToChange(kind),
      reply: none,
      lastChanged: ({ milestone }) => milestone.updated_at,
      async handle({ app, user, milestone }) {
        await removeMilestone(app, user, milestone)
        return null
      },
    }),
  ]),
  endpoint('POST /projects/:id/milestones/:milestone_id/promote', {
    summary: 'Turn a milestone of a project into one of its group, with those of the same title in its other projects',
    access: promoting,
    reply: Milestone,
    status: 200,
    handle: async ({ app, user, place, milestone }) => presentMilestone(app.config, await promoteMilestone(app, user, place, milestone)),
  }),
]
