"""What a host keeps on disk, and reads from its surroundings: the same for both colours, and nothing here waits for long.

reading        configuration files -> what they say together      discovered    those of this machine's applications
surroundings   variables, the keyring, `.env` files               places        where a user's own things are kept
approvals      leave that was given, and answers that hold        locks         the lockfile
audit          a line for everything that was decided or called   writing       whole or not at all
"""

__all__: list[str] = []
