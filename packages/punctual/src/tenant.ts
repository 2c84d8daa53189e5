/** The tenant that the library and the command line act for. */
export const TENANT = 1
