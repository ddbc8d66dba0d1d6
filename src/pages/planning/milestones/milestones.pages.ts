/** The milestones of projects and groups, declared once. */
import { Type } from 'typebox'
import { placeAddress } from '../../../addresses/places.ts'
import {
  changeMilestone,
  createMilestone,
  developersOfGroup,
  milestoneInPlace,
  promoteMilestone,
  removeMilestone,
} from '../../../features/planning/milestones/milestones.ts'
import { onProjectOrGroup, type PlaceGranted, type PlaceKind, unarchivedPlace, usingPlace } from '../../../http/declare/places.ts'
import { only } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Day, Id, nullable, oneOfDefault } from '../../../http/parameters/schema.ts'
import { action, type Page, page, type Typed } from '../../frame/declaration.ts'
import { pageNumber } from '../../frame/paging.ts'
import type { Framed } from '../places/places.ts'
import { milestoneView } from './milestone-view.ts'
import { milestoneFormView, milestonesView, pageOfMilestone } from './milestones-view.ts'
import { sentences } from './sentences.ts'

const features = ['issues', 'merge_requests'] as const

const milestone = nested({ milestone_iid: Id }, async ({ place }: PlaceGranted, { milestone_iid }, app) => ({
  milestone: await milestoneInPlace(app.db, place, milestone_iid),
}))

const form = {
  title: Type.String({ default: '' }),
  description: Type.String({ default: '' }),
  start_date: Type.Optional(nullable(Day)),
  due_date: Type.Optional(nullable(Day)),
}

export function milestonePages(kind: PlaceKind, framed: Framed): Page[] {
  const base = kind === 'project' ? '/:project/milestones' : '/groups/:group/-/milestones'
  const seeing = usingPlace(features, onProjectOrGroup(kind, 'visible'))
  const managing = unarchivedPlace(usingPlace(features, onProjectOrGroup(kind, 'manage_milestones')))
  const changing = within(managing, milestone)
  return [
    page(`GET ${base}`, {
      access: seeing,
      query: {
        ...pageNumber,
        state: oneOfDefault('active', 'closed', 'all'),
        search: Type.String({ default: '', maxLength: 255 }),
      },
      show: async ({ sent, ...seen }) => framed(seen, await milestonesView(seen, sent)),
    }),
    page(`GET ${base}/new`, { access: managing, show: (seen) => framed(seen, milestoneFormView(seen, null)) }),
    page(`GET ${base}/:milestone_iid`, {
      access: within(seeing, milestone),
      query: pageNumber,
      show: async ({ sent, ...seen }) => framed(seen, await milestoneView(seen, sent.page)),
    }),
    page(`GET ${base}/:milestone_iid/edit`, { access: changing, show: (seen) => framed(seen, milestoneFormView(seen, seen.milestone)) }),
    action(`POST ${base}`, {
      access: managing,
      form,
      async act({ app, user, place, sent }) {
        const created = await createMilestone(app, user, place, sent)
        return { redirect: pageOfMilestone(place, created), notice: sentences.created(created.title) }
      },
      again: (seen, typed: Typed) => framed(seen, milestoneFormView(seen, null, typed)),
    }),
    action(`POST ${base}/:milestone_iid`, {
      access: changing,
      form,
      async act({ app, user, place, milestone, sent }) {
        const changed = await changeMilestone(app, user, place, milestone, sent)
        return { redirect: pageOfMilestone(place, changed), notice: sentences.changed(changed.title) }
      },
      again: (seen, typed: Typed) => framed(seen, milestoneFormView(seen, seen.milestone, typed)),
    }),
    ...(['close', 'activate'] as const).map((state_event) =>
      action(`POST ${base}/:milestone_iid/${state_event}`, {
        access: changing,
        async act({ app, user, place, milestone }) {
          const { title } = await changeMilestone(app, user, place, milestone, { state_event })
          const notice = state_event === 'close' ? sentences.closed(title) : sentences.reopened(title)
          return { redirect: pageOfMilestone(place, milestone), notice }
        },
      }),
    ),
    action(`POST ${base}/:milestone_iid/remove`, {
      access: changing,
      async act({ app, user, place, milestone }) {
        await removeMilestone(app, user, milestone)
        return { redirect: placeAddress(place, 'milestones'), notice: sentences.deleted(milestone.title) }
      },
    }),
    ...(kind === 'project' ? [promoting] : []),
  ]
}

const promoting = action('POST /:project/milestones/:milestone_iid/promote', {
  access: only(
    within(unarchivedPlace(usingPlace(features, onProjectOrGroup('project', 'manage_milestones'))), milestone),
    developersOfGroup,
  ),
  async act({ app, user, place, milestone }) {
    const { title, iid, place_path } = await promoteMilestone(app, user, place, milestone)
    return { redirect: `/groups/${place_path}/-/milestones/${iid}`, notice: sentences.promoted(title) }
  },
})
