"""`python benchmarks`: what recording costs, then what opening a large trace costs."""

import opening
import recording

recording.main()
opening.main([])
