/** Who may import archives. */
import { forbidden } from '../../../failure.ts'
import { whileAllowed } from '../allowed-by-settings.ts'

export const importsAllowed = whileAllowed(
  'while imports of archives are enabled on the instance',
  ({ import_sources }) => import_sources.includes('gitlab_project'),
  () => forbidden(),
)
