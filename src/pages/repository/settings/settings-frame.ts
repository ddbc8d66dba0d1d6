/** The page of a repository's settings: all sections, or the one with errors to correct. */

import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import type { ProjectGranted, SignedIn } from '../../../http/declare/rules.ts'
import type { View, Visit } from '../../frame/declaration.ts'
import { projectView } from '../../project/project-view.ts'

export type SettingsVisit = Visit & ProjectGranted & SignedIn

export function settingsAddress({ full_path }: { full_path: string }, section = ''): string {
  return `/${full_path}/settings/repository${section && `#${section}`}`
}

/** A section with a URL of its own. */
export function section(id: string, title: string, content: Html): Html {
  return html`<section class="setting" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${content}</section>`
}

export function settingsView({ project, level, user }: SettingsVisit, sections: readonly Html[], title = t`Repository settings`): View {
  const isPart = sections.length === 1
  return projectView(
    { project, level, user, tab: 'settings-repository' },
    {
      title,
      main: html`
        <h1>${title}</h1>
        ${isPart && html`<p><a href="${settingsAddress(project)}">All repository settings</a></p>`}
        ${sections as Html[]}
      `,
    },
  )
}
