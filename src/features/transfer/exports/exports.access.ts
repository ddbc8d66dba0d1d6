/** Who may export. */
import { notFound } from '../../../failure.ts'
import { only, project } from '../../../http/declare/rules.ts'
import { whileAllowed } from '../allowed-by-settings.ts'

/** Grants maintainers, while exports are enabled. */
export const exporting = only(
  project('export_project'),
  whileAllowed(
    'while exports are enabled on the instance',
    (settings) => settings.project_export_enabled,
    () => notFound(),
  ),
)
