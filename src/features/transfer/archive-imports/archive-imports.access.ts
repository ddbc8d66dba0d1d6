/** Access to imports of archives, which an administrator can turn off. */
import { forbidden } from '../../../failure.ts'
import { whileAllowed } from '../allowed-by-settings.ts'

export const importsAllowed = whileAllowed(
  'while imports of archives are enabled on the instance',
  ({ import_sources }) => import_sources.includes('gitlab_project'),
  () => forbidden(),
)
