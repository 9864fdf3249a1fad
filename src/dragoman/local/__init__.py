"""What is on this machine: programs that speak through pipes, servers in this very process, a user and their secrets.

    command      a command line: its words, its secrets, a name for it      environment  what a program is given of ours
    program      starting a program, and ending all that it has started     windows      what only Windows wants
    home         this process: whether it is a fork, and whether it ends
    pumps        pipes read and written by threads, where they cannot be polled
    backlog      what waits for room in a pipe                              complaints   telling of what may disturb nobody
    journal      what a program wrote on its standard error                 objects      server functions and server objects
    stores       where secrets are kept                                     locks    keeping other threads and processes out
    loopback     the address that a browser comes back to                   browser  bringing a user to a page
    jose         keys and signatures                                        apart    changing a file while nobody else does

Both colours stand on this; nothing here waits for an answer.
"""

__all__: list[str] = []
