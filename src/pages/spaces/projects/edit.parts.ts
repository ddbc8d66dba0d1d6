/** Shared by all parts of the settings page. */
import type { LocatedProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import type { Settings } from '../../../features/instance/settings/settings.ts'
import type { LocatedNamespace } from '../../../features/namespaces/namespaces.ts'
import type { Html } from '../../../html/html.ts'
import type { Typed } from '../../frame/declaration.ts'

export type EditForm = 'general' | 'identity' | 'avatar' | 'features' | 'merging' | 'path' | 'transfer' | 'delete'

export interface Parts {
  app: App
  project: LocatedProject
  user: User
  token: Html
  settings: Settings
  namespaces: readonly LocatedNamespace[]
  isOwner: boolean
  typed: (form: EditForm) => Typed
}
