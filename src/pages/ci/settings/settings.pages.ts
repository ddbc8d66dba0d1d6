/** CI settings: one page with sections for a project or group; for the instance, a page for runners and one for variables. */

import { html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { page, type View } from '../../frame/declaration.ts'
import { pageNumber } from '../../frame/paging.ts'
import { administration } from '../../instance/admin/admin-view.ts'
import { section } from '../../repository/settings/settings-frame.ts'
import { settingSentences as say } from '../sentences.ts'
import { framed, managesRunners, projectIn, type SettingsSeen, settingsReaders } from './places.ts'
import { protectedEnvironmentPages, protectedEnvironmentsList } from './protected-environments.pages.ts'
import { runnersList } from './runner-list.ts'
import { runnerPages } from './runners.pages.ts'
import { secureFilePages, secureFilesList } from './secure-files.pages.ts'
import { triggerPages, triggersList } from './triggers.pages.ts'
import { variablePages, variablesList } from './variables.pages.ts'

export const ciSettingsPages = [
  page('GET /:project/settings/ci_cd', {
    access: settingsReaders('project'),
    query: pageNumber,
    show: ({ sent, ...seen }) => settingsView(seen, sent.page),
  }),
  page('GET /groups/:group/-/settings/ci_cd', {
    access: settingsReaders('group'),
    query: pageNumber,
    show: ({ sent, ...seen }) => settingsView(seen, sent.page),
  }),
  page('GET /admin/runners', {
    access: administration(),
    query: pageNumber,
    async show({ sent, ...visit }) {
      const seen: SettingsSeen = { ...visit, place: { kind: 'instance' } }
      return framed(seen, 'runners', { title: t`Runners`, main: html`<h1>Runners</h1>${await runnersList(seen, sent.page)}` })
    },
  }),
  page('GET /admin/variables', {
    access: administration(),
    async show(visit) {
      const seen: SettingsSeen = { ...visit, place: { kind: 'instance' } }
      return framed(seen, 'variables', { title: t`Variables`, main: html`<h1>Variables</h1>${await variablesList(seen)}` })
    },
  }),
  ...(['project', 'group', 'instance'] as const).flatMap((kind) => [...variablePages(kind), ...runnerPages(kind)]),
  ...triggerPages,
  ...(['project', 'group'] as const).flatMap((kind) => protectedEnvironmentPages(kind)),
  ...secureFilePages,
]

async function settingsView(seen: SettingsSeen, number: number): Promise<View> {
  const { place } = seen
  const project = projectIn(place)
  const isArchived = place.kind !== 'instance' && place.row.archived
  const main = html`
    <h1>CI/CD settings</h1>
    ${managesRunners(place) && section('runners', t`Runners`, await runnersList(seen, number))}
    ${
      isArchived
        ? html`<p class="hint">${project ? say.archived : say.archivedGroup}</p>`
        : html`
          ${section('variables', t`Variables`, await variablesList(seen))}
          ${project && section('triggers', t`Trigger tokens`, await triggersList(seen, project))}
          ${
            place.kind !== 'instance' &&
            section('protected-environments', t`Protected environments`, await protectedEnvironmentsList({ ...seen, place }))
          }
          ${project && section('secure-files', t`Secure files`, await secureFilesList(seen, project))}
        `
    }
  `
  return framed(seen, 'runners', { title: t`CI/CD settings`, main })
}
