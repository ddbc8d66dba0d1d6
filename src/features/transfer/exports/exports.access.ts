/** Access to exports: maintainers of a project and owners of a group. */
import { notFound } from '../../../failure.ts'
import { group, only, project } from '../../../http/declare/rules.ts'
import { whileAllowed } from '../allowed-by-settings.ts'

const whileEnabled = whileAllowed(
  'while exports are enabled on the instance',
  (settings) => settings.project_export_enabled,
  () => notFound(),
)

/** Grants maintainers, while exports are enabled. */
export const exporting = only(project('export_project'), whileEnabled)

/** Grants owners, while exports are enabled. */
export const exportingGroup = only(group('export_group'), whileEnabled)
