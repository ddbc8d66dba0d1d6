/** Links of a project to an external tracker or wiki: kept in the row of the project, which pages and texts read anyway. */
import type { App } from '../../../app.ts'
import type { Tx } from '../../../db/database.ts'
import { type Kind, textOf, trackerSlugs } from '../kinds/kinds.ts'
import { integrationsAt, storeElsewhere } from './services.queries.ts'
import { settingsOf } from './settings.ts'
import { trackerOf } from './tracker.ts'

export function leadsElsewhere({ slug }: Pick<Kind, 'slug'>): boolean {
  return trackerSlugs.includes(slug) || slug === 'external-wiki'
}

/** If there are several trackers, the first counts. */
export async function followElsewhere(app: App, tx: Tx, project_id: number): Promise<void> {
  const active = (await integrationsAt(tx, project_id)).filter((row) => row.active)
  const tracker = active.find(({ slug }) => trackerSlugs.includes(slug))
  const wiki = active.find(({ slug }) => slug === 'external-wiki')
  await storeElsewhere(tx, project_id, {
    external_tracker: tracker ? JSON.stringify(trackerOf(tracker.slug, settingsOf(app, tracker))) : null,
    external_wiki_url: wiki ? textOf(settingsOf(app, wiki), 'external_wiki_url') || null : null,
  })
}
