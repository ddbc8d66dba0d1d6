/** Webhooks of projects, groups and the instance, with a log of deliveries for each. */

import { Type } from 'typebox'
import type { App } from '../../../app.ts'
import type { HookFlag } from '../../../db/tables.ts'
import { Failure, invalid, notFound } from '../../../failure.ts'
import {
  deliverAgain,
  deliveryOf,
  groupTriggers,
  sampleOfInstance,
  sendSample,
  type Trigger,
} from '../../../features/integrations/deliveries/deliveries.ts'
import { changeHook, createHook, presentHook, removeHook, type SentHook } from '../../../features/integrations/hooks/hooks.ts'
import { t } from '../../../html/sentences.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id, Off, oneOf } from '../../../http/parameters/schema.ts'
import { action, type Page, page } from '../../frame/declaration.ts'
import { untouched } from '../../frame/forms.ts'
import { pageNumber } from '../../frame/paging.ts'
import type { SettingsPlace } from '../../instance/admin/settings-places.ts'
import { deliveryView } from './delivery-view.ts'
import { hooksView, hookView } from './hooks-view.ts'
import { namedValuePages } from './named-values.pages.ts'
import { bases, framed, hookInPath, hookManagers, hookPlace, hooksAddress } from './places.ts'
import * as say from './sentences.ts'

const text = Type.String({ default: '' })
const boxes = Object.fromEntries(Object.keys(say.flagLabels).map((flag) => [flag, Off])) as Record<HookFlag, typeof Off>
const fields = {
  url: text,
  name: text,
  token: text,
  signing_token: text,
  push_events_branch_filter: text,
  enable_ssl_verification: Off,
  ...boxes,
}

const delivery = nested({ event_id: Id }, async ({ hook }: { hook: { id: number } }, { event_id }, app: App) => {
  const delivery = await deliveryOf(app.db, hook.id, event_id)
  if (!delivery) throw notFound('Hook Event')
  return { delivery }
})

function hookPagesOf(kind: SettingsPlace['kind']): Page[] {
  const base = bases[kind]
  const managed = hookManagers(kind)
  const ofHook = within(managed, hookInPath)
  const ofDelivery = within(ofHook, delivery)
  return [
    page(`GET ${base}`, { access: managed, show: (seen) => hooksView(seen, untouched) }),
    action(`POST ${base}`, {
      access: managed,
      form: fields,
      async act({ app, place, sent }) {
        const { url, ...settings } = acceptedBy(kind, sent)
        const hook = await byField(createHook(app, hookPlace(place), { ...settings, url: url ?? '' }))
        return { redirect: `${hooksAddress(place)}/${hook.id}/edit`, notice: say.added() }
      },
      again: hooksView,
    }),
    page(`GET ${base}/:hook_id/edit`, {
      access: ofHook,
      query: pageNumber,
      show: ({ sent, ...seen }) => hookView(seen, untouched, sent.page),
    }),
    action(`POST ${base}/:hook_id`, {
      access: ofHook,
      form: fields,
      async act({ app, place, hook, sent }) {
        const { url, ...settings } = acceptedBy(kind, sent)
        // The form shows the URL without its password: if it comes back unchanged, the stored one is kept.
        const isAsShown = url === presentHook(app, hook).url
        await byField(changeHook(app, hook, url === undefined || isAsShown ? settings : { ...settings, url }))
        return { redirect: `${hooksAddress(place)}/${hook.id}/edit`, notice: say.saved() }
      },
      again: (seen, typed) => hookView(seen, typed),
    }),
    action(`POST ${base}/:hook_id/remove`, {
      access: ofHook,
      async act({ app, place, hook }) {
        await removeHook(app, hook)
        return { redirect: hooksAddress(place), notice: say.removed() }
      },
    }),
    action(`POST ${base}/:hook_id/test`, {
      access: ofHook,
      form: { trigger: oneOf('project_create', ...(Object.keys(groupTriggers) as Trigger[])) },
      async act({ app, place, user, hook, sent: { trigger } }) {
        if (place.kind === 'instance' || trigger === 'project_create') await sampleOfInstance(app, hook)
        else await sendSample(app, hook, trigger, user.id)
        return { redirect: `${hooksAddress(place)}/${hook.id}/edit`, notice: say.tested() }
      },
      again: (seen, typed) => hookView(seen, typed),
    }),
    action(`POST ${base}/:hook_id/resend_failed`, {
      access: ofHook,
      async act({ app, place, hook }) {
        const count = await deliverAgain(app.db, hook.id, null)
        return { redirect: `${hooksAddress(place)}/${hook.id}/edit`, notice: say.queuedAgain(count) }
      },
    }),
    ...namedValuePages(kind),
    page(`GET ${base}/:hook_id/events/:event_id`, {
      access: ofDelivery,
      show(seen) {
        const address = `${hooksAddress(seen.place)}/${seen.hook.id}`
        return framed(seen, deliveryView(seen, { ...seen, address, back: { address: `${address}/edit`, label: say.back() } }))
      },
    }),
    action(`POST ${base}/:hook_id/events/:event_id/resend`, {
      access: ofDelivery,
      async act({ app, place, hook, delivery }) {
        const count = await deliverAgain(app.db, hook.id, delivery.id)
        return { redirect: `${hooksAddress(place)}/${hook.id}/edit`, notice: say.queuedAgain(count) }
      },
    }),
  ]
}

type Sent = Record<'url' | 'name' | 'token' | 'signing_token' | 'push_events_branch_filter', string> &
  Record<'enable_ssl_verification' | HookFlag, boolean>

/** Empty fields for secrets keep the stored ones. */
function acceptedBy(kind: SettingsPlace['kind'], sent: Sent): SentHook {
  const { url, name, token, signing_token, push_events_branch_filter, enable_ssl_verification } = sent
  return {
    url,
    name,
    enable_ssl_verification,
    ...Object.fromEntries(say.flagsOf[kind].map((flag) => [flag, sent[flag]])),
    ...(kind !== 'instance' && { push_events_branch_filter }),
    ...(token !== '' && { token }),
    ...(signing_token !== '' && { signing_token }),
  }
}

/** Shows errors of the API that are one sentence at their field. */
async function byField<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (!(error instanceof Failure) || error.code !== 'unprocessable') throw error
    const field = error.message.includes('branch filter') ? 'push_events_branch_filter' : 'url'
    throw invalid({ [field]: [t`is not allowed`] }, error)
  })
}

export const hookPages = [...hookPagesOf('project'), ...hookPagesOf('group'), ...hookPagesOf('instance')]
