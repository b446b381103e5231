// node .config/generate.ts [--check] [PATH …]    writes the generated files whose path ends in one of PATH, or all;
//                                                with --check only names those that are stale, and exits 1 if any is
import { generatedFiles, stale, write } from './generated.ts'

const [check, wanted] = [process.argv.includes('--check'), process.argv.slice(2).filter((word) => word !== '--check')]
const files = generatedFiles.filter(({ path }) => wanted.length === 0 || wanted.some((end) => path.endsWith(end)))

if (check) {
  for (const path of await stale(files)) {
    console.error(`${path} is not what its sources make: run npm run generate`)
    process.exitCode = 1
  }
} else {
  await write(files)
}
