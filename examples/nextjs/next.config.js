/** @type {import('next').NextConfig} */
export default {
  // The test builds into a separate folder.
  distDir: process.env.NEXT_DIST_DIR ?? '.next',
}
