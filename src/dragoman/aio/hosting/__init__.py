"""Many servers, run: each by itself, so that none costs another anything.

plan         from what a host was given to servers that can be connected to       options     what a host takes
member       one server: connected, kept connected, asked                         members     all of them
gate         what may happen, who is asked, what is recorded                      trusting    leave for a project's servers
pinning      what was approved, against what is said now                          offers      all that all servers offer
turnstile    at most so many at a time                                            together    several things at once
hearing      what a host tells of                                                 absence     why a server cannot be asked
asking       one question to the application at a time                            filling     variables of an entry
"""

__all__: list[str] = []
