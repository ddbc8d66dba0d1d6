/** An issue that an access rule has granted to a viewer. */
import type { Issue } from '../../../db/tables.ts'
import type { Noteable } from '../../../features/noteable-kinds.ts'
import type { ProjectGranted } from '../../../http/declare/rules.ts'
import type { Visit } from '../../frame/declaration.ts'

export type IssueSeen = Visit & ProjectGranted & { issue: Issue }

export function noteableOf({ issue, project, level }: Pick<IssueSeen, 'issue' | 'project' | 'level'>): Noteable<'issue'> {
  return { kind: 'issue', row: issue, project, level }
}
