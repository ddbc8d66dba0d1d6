/** The integration in a path. */
import type { Integration } from '../../../db/tables.ts'
import { Failure, notFound } from '../../../failure.ts'
import { type ProjectGranted, project, type SignedIn } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { nameInPath } from '../../../http/parameters/schema.ts'
import { type Kind, kindOf } from '../kinds/kinds.ts'
import { integrationAt } from './services.queries.ts'

export interface IntegrationGranted {
  kind: Kind
  /** Null if it was never set. */
  row: Integration | null
}

const named = nested(
  { slug: nameInPath('Kind of the integration') },
  async ({ project }: ProjectGranted, { slug }, app): Promise<IntegrationGranted> => {
    const kind = kindOf(slug)
    if (!kind) throw notFound('Service')
    const row = await integrationAt(app.db, project.id, kind.slug)
    // A cluster integration can be used as long as it is active.
    if (kind.slug === 'kubernetes' && !row?.active) throw new Failure('invalid', '400 Bad Request')
    return { kind, row }
  },
)

/** Grants maintainers of the project. */
export const integrationOf = within(project('manage_integrations'), named)
export type MaintainerOfIntegration = ProjectGranted & SignedIn & IntegrationGranted
