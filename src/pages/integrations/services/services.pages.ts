/** Integrations of projects, and templates of the instance, generated from the table of kinds. */
import { invalid } from '../../../failure.ts'
import { deliverAgain, testIntegration } from '../../../features/integrations/deliveries/deliveries.ts'
import { removeIntegration, setIntegration, settingsOf } from '../../../features/integrations/services/services.ts'
import { within } from '../../../http/declare/within.ts'
import { action, type Page, page } from '../../frame/declaration.ts'
import { untouched } from '../../frame/forms.ts'
import { pageNumber } from '../../frame/paging.ts'
import { deliveryView } from '../hooks/delivery-view.ts'
import { hookManagers } from '../hooks/places.ts'
import { queuedAgain } from '../hooks/sentences.ts'
import { enteredOf, formFields } from './form.ts'
import { bases, deliveryInPath, framed, integrationsAddress, kindInPath, projectOf } from './places.ts'
import * as say from './sentences.ts'
import { integrationsView, integrationView, valuesOf } from './services-view.ts'

function pagesOf(where: keyof typeof bases): Page[] {
  const base = bases[where]
  const managed = hookManagers(where)
  const ofKind = within(managed, kindInPath)
  return [
    page(`GET ${base}`, { access: managed, show: integrationsView }),
    page(`GET ${base}/:slug`, {
      access: ofKind,
      query: pageNumber,
      show: ({ sent, ...seen }) => integrationView(seen, untouched, sent.page),
    }),
    action(`POST ${base}/:slug`, {
      access: ofKind,
      form: formFields,
      async act({ app, place, kind, row, sent }) {
        const entered = enteredOf(kind, sent, valuesOf({ app }, kind, row), row && settingsOf(app, row))
        await setIntegration(app, projectOf(place), kind, entered, { keeping: true })
        return { redirect: `${integrationsAddress(place)}/${kind.slug}`, notice: say.saved() }
      },
      again: (seen, typed) => integrationView(seen, typed),
    }),
    action(`POST ${base}/:slug/remove`, {
      access: ofKind,
      async act({ app, place, row }) {
        if (row) await removeIntegration(app, row)
        return { redirect: integrationsAddress(place), notice: say.removed() }
      },
    }),
  ]
}

const ofKind = within(hookManagers('project'), kindInPath)
const ofDelivery = within(ofKind, deliveryInPath)
const base = `${bases.project}/:slug` as const

export const integrationPages: Page[] = [
  ...pagesOf('project'),
  ...pagesOf('instance'),
  action(`POST ${base}/test`, {
    access: ofKind,
    async act({ app, place, user, kind, row }) {
      if (!row?.active || place.kind !== 'project') throw invalid(say.onlyActive())
      const { success, message } = await testIntegration(app, place.row, user, row)
      return { redirect: `${integrationsAddress(place)}/${kind.slug}`, notice: say.tested(success, message) }
    },
    again: (seen, typed) => integrationView(seen, typed),
  }),
  page(`GET ${base}/events/:event_id`, {
    access: ofDelivery,
    show(seen) {
      const address = `${integrationsAddress(seen.place)}/${seen.kind.slug}`
      return framed(seen, deliveryView(seen, { ...seen, address, back: { address, label: say.back() } }))
    },
  }),
  action(`POST ${base}/events/:event_id/resend`, {
    access: ofDelivery,
    async act({ app, place, kind, hook, delivery }) {
      const count = await deliverAgain(app.db, hook.id, delivery.id)
      return { redirect: `${integrationsAddress(place)}/${kind.slug}`, notice: queuedAgain(count) }
    },
  }),
]
