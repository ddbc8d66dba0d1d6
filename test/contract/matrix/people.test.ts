/** Access to the endpoints of users, tokens, keys, and of the instance. */
import { testAccess } from './matrix.ts'

testAccess('people')
