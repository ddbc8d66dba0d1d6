/** Access to the endpoints of repositories. */

import { cpuBudget } from '../../support/run/cpu.ts'
import { testAccess } from './matrix.ts'

cpuBudget(10, 'A part of the endpoints is asked by every rank.')

testAccess('repositories')
