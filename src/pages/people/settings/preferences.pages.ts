/** The user's preferences for the pages. */

import { Type } from 'typebox'
import { setPreferences } from '../../../features/people/users/users.ts'
import { html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { signedIn } from '../../../http/declare/rules.ts'
import { action, page, type Typed, type View } from '../../frame/declaration.ts'
import { type Choice, form, problemsOf, select, untouched } from '../../frame/forms.ts'
import { sentences } from './sentences.ts'
import { type OwnVisit, settingsView } from './settings-view.ts'

const lists = (): Choice[] => [
  ['projects', t`Your projects`],
  ['starred', t`Starred projects`],
  ['groups', t`Your groups`],
  ['activity', t`Activity`],
]

const days = (): Choice[] => [
  ['0', t`Sunday`],
  ['1', t`Monday`],
  ['6', t`Saturday`],
]

export const preferencePages = [
  page('GET /profile/preferences', { access: signedIn(), show: (visit) => preferencesForm(visit, untouched) }),
  action('POST /profile/preferences', {
    access: signedIn(),
    form: { dashboard: Type.String({ default: 'projects' }), week_starts_on: Type.Integer({ default: 0 }) },
    async act({ app, user, sent }) {
      await setPreferences(app.db, user.id, sent)
      return { redirect: '/profile/preferences', notice: sentences.preferencesSaved }
    },
    again: preferencesForm,
  }),
]

function preferencesForm({ user, token }: OwnVisit, typed: Typed): View {
  return settingsView('preferences', {
    title: t`Preferences`,
    main: html`
      <h1>Preferences</h1>
      ${problemsOf(typed.errors, ['dashboard', 'week_starts_on'])}
      ${form(
        { action: '/profile/preferences', token, submit: t`Save preferences` },
        html`
          ${select(t`Start page`, 'dashboard', typed, lists(), {
            value: user.dashboard,
            hint: t`What you see first when you are signed in.`,
          })}
          ${select(t`First day of the week`, 'week_starts_on', typed, days(), {
            value: `${user.week_starts_on}`,
            hint: t`In the calendar of contributions.`,
          })}
        `,
      )}
      <p class="hint">${sentences.browserChoices}</p>
    `,
  })
}
