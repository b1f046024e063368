"""python -m softcount"""

from softcount.cli.main import main

main()
