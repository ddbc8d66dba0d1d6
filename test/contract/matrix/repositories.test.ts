/** Who is served by the endpoints of repositories. */
import { testAccess } from './matrix.ts'

testAccess('repositories')
