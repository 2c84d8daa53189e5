/**
 * Loaded before modules of users that are written in TypeScript: from then on tsx compiles them. Both kinds of modules:
 * which one a .ts file is depends on the package.json above it.
 */
import { register as registerCommonJs } from 'tsx/cjs/api'
import { register } from 'tsx/esm/api'

registerCommonJs()
register()
