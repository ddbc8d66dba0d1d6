/** Who is served by the endpoints of groups and projects. */
import { testAccess } from './matrix.ts'

testAccess('spaces')
