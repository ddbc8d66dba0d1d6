/** The user's preferences for the pages. */
import { Type } from 'typebox'
import { setPreferences } from '../../../features/people/users/users.ts'
import { html } from '../../../html/html.ts'
import { signedIn } from '../../../http/declare/rules.ts'
import { action, page, type Typed, type View } from '../../frame/declaration.ts'
import { type Choice, form, problemsOf, select, untouched } from '../../frame/forms.ts'
import { sentences } from './sentences.ts'
import { type OwnVisit, settingsView } from './settings-view.ts'

const lists: Choice[] = [
  ['projects', 'Your projects'],
  ['starred', 'Starred projects'],
  ['groups', 'Your groups'],
  ['activity', 'Activity'],
]

const days: Choice[] = [
  ['0', 'Sunday'],
  ['1', 'Monday'],
  ['6', 'Saturday'],
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
    title: 'Preferences',
    main: html`
      <h1>Preferences</h1>
      ${problemsOf(typed.errors, ['dashboard', 'week_starts_on'])}
      ${form(
        { action: '/profile/preferences', token, submit: 'Save preferences' },
        html`
          ${select('Start page', 'dashboard', typed, lists, { value: user.dashboard, hint: 'What you see first when you are signed in.' })}
          ${select('First day of the week', 'week_starts_on', typed, days, {
            value: `${user.week_starts_on}`,
            hint: 'In the calendar of contributions.',
          })}
        `,
      )}
      <p class="hint">${sentences.browserChoices}</p>
    `,
  })
}
