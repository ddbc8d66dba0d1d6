/** The labels of projects and groups, declared once. */
import { Type } from 'typebox'
import { labelsAddress } from '../../../addresses/planning.ts'
import { Failure } from '../../../failure.ts'
import {
  changeLabel,
  createLabel,
  findLabel,
  findOwnLabel,
  promoteLabel,
  removeLabel,
  reportersOfGroup,
  subscribeToLabel,
} from '../../../features/planning/labels/labels.ts'
import { onProjectOrGroup, type PlaceGranted, type PlaceKind, unarchivedPlace, usingPlace } from '../../../http/declare/places.ts'
import { only } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { nullable } from '../../../http/parameters/schema.ts'
import { action, type Page, page, type Typed } from '../../frame/declaration.ts'
import { pageNumber } from '../../frame/paging.ts'
import type { Framed } from '../places/places.ts'
import { labelFormView, labelsView } from './labels-view.ts'
import { sentences } from './sentences.ts'

const features = ['issues', 'merge_requests'] as const

const label = nested({ label_id: Type.String() }, async ({ place }: PlaceGranted, { label_id }, app) => ({
  label: await findLabel(app.db, place, label_id),
}))
const ownLabel = nested({ label_id: Type.String() }, async ({ place }: PlaceGranted, { label_id }, app) => ({
  label: await findOwnLabel(app.db, place, label_id),
}))

const form = {
  title: Type.String({ default: '' }),
  color: Type.String({ default: '' }),
  description: Type.String({ default: '' }),
  /** For projects. */
  priority: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 2_147_483_647 }))),
}

export function labelPages(kind: PlaceKind, framed: Framed): Page[] {
  const base = kind === 'project' ? '/:project/labels' : '/groups/:group/-/labels'
  const seeing = usingPlace(features, onProjectOrGroup(kind, 'visible'))
  const subscribing = within(usingPlace(features, onProjectOrGroup(kind, 'signed-in')), label)
  const managing = unarchivedPlace(usingPlace(features, onProjectOrGroup(kind, 'manage_labels')))
  const changing = within(managing, ownLabel)
  return [
    page(`GET ${base}`, {
      access: seeing,
      query: { ...pageNumber, search: Type.String({ default: '', maxLength: 255 }) },
      show: async ({ sent, ...seen }) => framed(seen, await labelsView(seen, sent)),
    }),
    page(`GET ${base}/new`, { access: managing, show: async (seen) => framed(seen, await labelFormView(seen, null)) }),
    page(`GET ${base}/:label_id/edit`, {
      access: changing,
      show: async (seen) => framed(seen, await labelFormView(seen, seen.label)),
    }),
    action(`POST ${base}`, {
      access: managing,
      form,
      async act({ app, place, sent }) {
        const { title } = await createLabel(app, place, sent)
        return { redirect: labelsAddress(place), notice: sentences.created(title) }
      },
      again: async (seen, typed: Typed) => framed(seen, await labelFormView(seen, null, typed)),
    }),
    action(`POST ${base}/:label_id`, {
      access: changing,
      form,
      async act({ app, place, label, sent }) {
        const { title } = await changeLabel(app, place, label, sent)
        return { redirect: labelsAddress(place), notice: sentences.changed(title) }
      },
      again: async (seen, typed: Typed) => framed(seen, await labelFormView(seen, seen.label, typed)),
    }),
    action(`POST ${base}/:label_id/remove`, {
      access: changing,
      async act({ app, place, label }) {
        await removeLabel(app, label)
        return { redirect: labelsAddress(place), notice: sentences.deleted(label.title) }
      },
    }),
    ...(['subscribe', 'unsubscribe'] as const).map((word) =>
      action(`POST ${base}/:label_id/${word}`, {
        access: subscribing,
        async act({ app, user, place, label }) {
          await subscribeToLabel(app, place, user, label, word === 'subscribe').catch(unlessSoAlready)
          const notice = word === 'subscribe' ? sentences.subscribed(label.title) : sentences.unsubscribed(label.title)
          return { redirect: labelsAddress(place), notice }
        },
      }),
    ),
    ...(kind === 'project' ? [promoting] : []),
  ]
}

const promoting = action('POST /:project/labels/:label_id/promote', {
  access: only(within(unarchivedPlace(usingPlace(features, onProjectOrGroup('project', 'manage_labels'))), ownLabel), reportersOfGroup),
  async act({ app, place, label }) {
    const { title } = await promoteLabel(app, place, label)
    return { redirect: labelsAddress(place), notice: sentences.promoted(title) }
  },
})

/** The button may have been pressed twice. */
function unlessSoAlready(error: unknown): void {
  if (!(error instanceof Failure && error.code === 'not_modified')) throw error
}
